"""The `forebay` command. Modules of `commands` are light; what is heavy is imported when a command runs."""
