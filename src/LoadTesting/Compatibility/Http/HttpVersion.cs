namespace LoadTesting.Http;

public enum HttpVersion
{
    Version1 = 0,
    Version2 = 1,
    Version3 = 2,
}
