"""`forebay channel`: the program that innd writes to in innfeed's place."""
