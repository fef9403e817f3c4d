using System.Runtime.CompilerServices;
using LoadTesting.Contracts;

namespace LoadTesting.CSharp;

/// <summary>
/// Makes responses. <c>Ok</c> takes the size before the message, <c>Fail</c> the message before the size. What is not 0
/// in <c>latencyMs</c> is recorded in place of the measured time. A bare string is a status code.
/// </summary>
public static class Response
{
    private static readonly Response<object> s_ok = new("", false, 0, "", null);

    private static readonly Response<object> s_fail = new("", true, 0, "", null);

    [OverloadResolutionPriority(2)]
    public static Response<object> Ok() => s_ok;

    [OverloadResolutionPriority(2)]
    public static Response<object> Fail() => s_fail;

    [OverloadResolutionPriority(1)]
    public static Response<object> Ok(
        string statusCode = "", long sizeBytes = 0, string message = "", double latencyMs = 0) =>
        new(statusCode, false, sizeBytes, message, null) { LatencyMs = latencyMs };

    public static Response<T> Ok<T>(
        string statusCode = "", long sizeBytes = 0, string message = "", double latencyMs = 0) =>
        new(statusCode, false, sizeBytes, message, null) { LatencyMs = latencyMs };

    public static Response<T> Ok<T>(
        T payload, string statusCode = "", long sizeBytes = 0, string message = "", double latencyMs = 0) =>
        new(statusCode, false, sizeBytes, message, new Option<T>(payload)) { LatencyMs = latencyMs };

    [OverloadResolutionPriority(1)]
    public static Response<object> Fail(
        string statusCode = "", string message = "", long sizeBytes = 0, double latencyMs = 0) =>
        new(statusCode, true, sizeBytes, message, null) { LatencyMs = latencyMs };

    public static Response<T> Fail<T>(
        string statusCode = "", string message = "", long sizeBytes = 0, double latencyMs = 0) =>
        new(statusCode, true, sizeBytes, message, null) { LatencyMs = latencyMs };

    public static Response<T> Fail<T>(
        T payload, string statusCode = "", string message = "", long sizeBytes = 0, double latencyMs = 0) =>
        new(statusCode, true, sizeBytes, message, new Option<T>(payload)) { LatencyMs = latencyMs };
}
