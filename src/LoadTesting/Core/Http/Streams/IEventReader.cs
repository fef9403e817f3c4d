namespace LoadTesting.Core.Http.Streams;

/// <summary>Reads the events of a system.</summary>
public interface IEventReader
{
    /// <summary>Called for each event of each client on the receiving thread. Should not allocate.</summary>
    /// <returns>False for an unexpected event, such as one that reports lost events.</returns>
    bool TryRead(EventFrame frame, out Delivery delivery);
}
