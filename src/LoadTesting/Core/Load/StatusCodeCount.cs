namespace LoadTesting.Core.Load;

/// <summary>Number of responses with a status code.</summary>
/// <param name="StatusCode">The code; empty for responses without one, "other" for all beyond the hundredth.</param>
/// <param name="Count">The number.</param>
/// <param name="Message">The first message with this code; empty if there was none.</param>
public sealed record StatusCodeCount(string StatusCode, long Count, string Message);
