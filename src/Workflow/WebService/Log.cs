using System.Net;

namespace Workflow.WebService;

internal static partial class Log
{
    [LoggerMessage(1, LogLevel.Error, "{Method} {Path} failed unexpectedly (trace id {TraceId}).")]
    public static partial void RequestFailed(
        ILogger logger, Exception exception, string method, string path, string traceId);

    [LoggerMessage(3, LogLevel.Warning, "{Method} {Path} found the store unavailable (trace id {TraceId}): {Cause}")]
    public static partial void StoreUnavailable(
        ILogger logger, string method, string path, string traceId, string cause);

    [LoggerMessage(4, LogLevel.Warning, "The service is not ready: {Cause}")]
    public static partial void NotReady(ILogger logger, string cause);

    [LoggerMessage(5, LogLevel.Warning,
        "The event stream of {Client} was dropped at position {Position}: its client took nothing for {Seconds} s. It "
            + "may come back with Last-Event-ID; Limits:StalledReaderSeconds sets the time.")]
    public static partial void StreamDropped(ILogger logger, string client, string position, double seconds);

    [LoggerMessage(6, LogLevel.Information, "The connection to the node at {Address} has ended: {Cause}")]
    public static partial void PeerLinkEnded(ILogger logger, string cause, Uri address);

    [LoggerMessage(7, LogLevel.Information, "The connection of the node at {Address} has ended: {Cause}")]
    public static partial void PeerConnectionEnded(ILogger logger, string cause, IPAddress? address);

    [LoggerMessage(8, LogLevel.Warning, "A request of another node was refused, which sends it by the inbox: {Cause}")]
    public static partial void PeerRequestRefused(ILogger logger, string cause);

    [LoggerMessage(9, LogLevel.Error,
        "A request of another node failed unexpectedly; that node sends it by the inbox.")]
    public static partial void PeerRequestFailed(ILogger logger, Exception exception);

    [LoggerMessage(2, LogLevel.Warning, "The engine did not stop in order.")]
    public static partial void StopFailed(ILogger logger, Exception exception);
}
