import forebay.client


def test_the_public_names_are_sorted_and_there():
    assert forebay.client.__all__ == sorted(forebay.client.__all__)
    assert all(hasattr(forebay.client, name) for name in forebay.client.__all__)
