import forebay_operator.conditions as face


def test_the_public_names_are_there():
    assert all(hasattr(face, name) for name in face.__all__)
