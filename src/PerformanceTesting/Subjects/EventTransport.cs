namespace PerformanceTesting.Subjects;

/// <summary>What carries integration events to the consumers in the test process.</summary>
public enum EventTransport
{
    /// <summary>In process the in-memory bus, over HTTP the event stream.</summary>
    OfHosting,

    /// <summary>A RabbitMQ broker, for either hosting.</summary>
    RabbitMq,
}
