using Microsoft.Extensions.Logging;

namespace Workflow.Notifications.Redis;

/// <summary>
/// Every log message of the notifications. An outage is logged when it begins and when it ends, however long it lasts.
/// </summary>
internal static partial class Log
{
    [LoggerMessage(1, LogLevel.Information, "Notifications go over {Medium}.")]
    public static partial void Connected(ILogger logger, string medium);

    [LoggerMessage(2, LogLevel.Warning,
        "{Medium} is away ({Reason}). Signals that enter at another node wait for its next look into the store; "
            + "connecting goes on.")]
    public static partial void Away(ILogger logger, string medium, string reason);

    [LoggerMessage(3, LogLevel.Warning, "{Medium} is back; every lane looks into its inbox.")]
    public static partial void Back(ILogger logger, string medium);

    [LoggerMessage(
        4, LogLevel.Warning, "A notification over {Medium} was lost ({Reason}); more are counted and not logged until "
            + "one gets through.")]
    public static partial void NotificationLost(ILogger logger, string medium, string reason);

    [LoggerMessage(5, LogLevel.Warning,
        "{Medium} carries messages that are no notifications; they are ignored. Give the cluster a channel of its "
            + "own.")]
    public static partial void Foreign(ILogger logger, string medium);
}
