"""What INN says of a feed, in innfeed.conf and newsfeeds, read and written as resources."""
