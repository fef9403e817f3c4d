using NBomber.Contracts;

namespace NBomber.CSharp;

public static class Response
{
    public static Response<object> Ok(
        string statusCode = "", long sizeBytes = 0, string message = "", double latencyMs = 0) =>
        new(statusCode, false, sizeBytes, Text(message, latencyMs), null!);

    public static Response<object> Fail(
        string statusCode = "", string message = "", long sizeBytes = 0, double latencyMs = 0) =>
        new(statusCode, true, sizeBytes, Text(message, latencyMs), null!);

    private static string Text(string message, double latencyMs) =>
        latencyMs == 0 ? message : string.Create(CultureInfo.InvariantCulture, $"{message} {latencyMs} ms");
}
