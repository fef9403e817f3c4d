namespace LoadTesting.Core.Load;

/// <summary>How often a status code was given.</summary>
/// <param name="StatusCode">The code; empty where the responses had none, "other" for all past the hundredth.</param>
/// <param name="Count">How often.</param>
/// <param name="Message">The first message that came with it; empty where none did.</param>
public sealed record StatusCodeCount(string StatusCode, long Count, string Message);
