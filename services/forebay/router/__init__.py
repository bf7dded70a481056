"""Router: messages between threads, processes and domains, with flow control."""
