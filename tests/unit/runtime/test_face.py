import forebay.runtime


def test_the_public_names_are_sorted_and_there():
    assert forebay.runtime.__all__ == sorted(forebay.runtime.__all__)
    assert all(hasattr(forebay.runtime, name) for name in forebay.runtime.__all__)
