namespace LoadTesting.Core.Http.Streams;

/// <summary>How a connection of a client ended.</summary>
/// <param name="Reason">The reason in words.</param>
/// <param name="WasOpen">Whether its stream was open.</param>
/// <param name="IsOnPurpose">Whether the client closed it to reconnect.</param>
internal readonly record struct StreamEnd(string Reason, bool WasOpen, bool IsOnPurpose);
