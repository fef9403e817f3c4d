namespace Workflow.WebService;

internal static partial class Log
{
    [LoggerMessage(1, LogLevel.Error, "{Method} {Path} failed unexpectedly (trace id {TraceId}).")]
    public static partial void RequestFailed(ILogger logger, Exception exception, string method, string path, string traceId);

    [LoggerMessage(2, LogLevel.Warning, "The engine did not stop in order.")]
    public static partial void StopFailed(ILogger logger, Exception exception);
}
