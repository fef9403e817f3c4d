namespace LoadTesting.Core.Http;

/// <summary>Bytes of a request and its response on a connection, before encryption.</summary>
internal readonly record struct MovedBytes(long Sent, long Received);
