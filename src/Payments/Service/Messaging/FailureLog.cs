namespace Payments.Service.Messaging;

/// <summary>Logs messages that a consumer gave up, and endpoints that failed.</summary>
internal sealed class FailureLog(ILogger<FailureLog> logger) : IReceiveObserver
{
    public Task PreReceive(ReceiveContext context) => Task.CompletedTask;
    public Task PostReceive(ReceiveContext context) => Task.CompletedTask;

    public Task PostConsume<T>(ConsumeContext<T> context, TimeSpan duration, string consumerType)
        where T : class => Task.CompletedTask;

    public Task ConsumeFault<T>(ConsumeContext<T> context, TimeSpan duration, string consumerType, Exception exception)
        where T : class
    {
        Log.ConsumerGaveUp(logger, exception, consumerType, typeof(T).Name, context.MessageId);
        return Task.CompletedTask;
    }

    public Task ReceiveFault(ReceiveContext context, Exception exception)
    {
        Log.MessageUnreadable(logger, exception, context.InputAddress);
        return Task.CompletedTask;
    }
}
