import forebay_operator.resources


def test_the_face_is_complete_and_sorted():
    names = forebay_operator.resources.__all__
    assert names == sorted(names)
    assert all(hasattr(forebay_operator.resources, name) for name in names)
