import forebay.client.router as face


def test_what_users_see_is_this():
    assert face.__all__ == sorted(face.__all__)
    for name in face.__all__:
        assert getattr(face, name) is not None
    assert set(face.__all__) == {
        *(
            "Process",
            "ProcessSettings",
            "RouterClient",
            "Thread",
            "BlockingThread",
            "Message",
            "Marker",
            "Flag",
            "FieldValue",
        ),
        *("QueueLimits", "FlowSettings", "OutboxSettings", "Severity"),
        *("Event", "Dropped", "Crashed"),
        *("ThreadError", "RegistrationError", "ThreadEndedError", "DroppedError", "NoReplyError", "OverflowingError"),
        *("BadNameError", "FieldTypeError"),
    }
