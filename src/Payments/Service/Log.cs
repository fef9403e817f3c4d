namespace Payments.Service;

internal static partial class Log
{
    [LoggerMessage(1, LogLevel.Error, "{Method} {Path} failed unexpectedly (trace id {TraceId}).")]
    public static partial void RequestFailed(
        ILogger logger, Exception exception, string method, string path, string traceId);

    [LoggerMessage(
        2, LogLevel.Warning, "{Event} of {AggregateId} could not be published; it is published again after "
            + "Recovery:RepeatAfter.")]
    public static partial void NotPublished(ILogger logger, Exception exception, string @event, string aggregateId);

    [LoggerMessage(3, LogLevel.Error,
        "{Consumer} gave up {Message} {MessageId}; the event is published again after Recovery:RepeatAfter.")]
    public static partial void ConsumerGaveUp(
        ILogger logger, Exception exception, string consumer, string message, Guid? messageId);

    [LoggerMessage(4, LogLevel.Error, "A message at {Address} could not be received.")]
    public static partial void MessageUnreadable(ILogger logger, Exception exception, Uri address);

    [LoggerMessage(5, LogLevel.Debug, "{Event} of payment {PaymentId} came again; its work is done.")]
    public static partial void DoneAlready(ILogger logger, string @event, Guid paymentId);

    [LoggerMessage(6, LogLevel.Warning, "{Count} events that had led to nothing were published again.")]
    public static partial void PublishedAgain(ILogger logger, int count);

    [LoggerMessage(7, LogLevel.Warning, "Overdue events could not be published again; the next attempt follows.")]
    public static partial void RecoveryFailed(ILogger logger, Exception exception);
}
