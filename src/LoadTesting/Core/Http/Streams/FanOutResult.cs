namespace LoadTesting.Core.Http.Streams;

/// <summary>The results of many event streams.</summary>
public sealed record FanOutResult
{
    /// <summary>Number of clients.</summary>
    public required int Clients { get; init; }

    /// <summary>Clients whose stream opened: each of them must receive every publication.</summary>
    public required int Opened { get; init; }

    /// <summary>Clients whose stream is open now.</summary>
    public required int OpenNow { get; init; }

    /// <summary>Number of intended reconnections.</summary>
    public required long Reconnections { get; init; }

    /// <summary>Open streams that ended unexpectedly.</summary>
    public required long Cuts { get; init; }

    /// <summary>The first fault in words; null if there was none.</summary>
    public string? FirstFault { get; init; }

    public required FanOutCounts Counts { get; init; }

    /// <summary>From a client's scheduled connect to the head of its stream.</summary>
    public required LatencyHistogram Open { get; init; }

    /// <summary>From a client's scheduled connect to its first frame, which gives the position of the stream.</summary>
    public required LatencyHistogram FirstMessage { get; init; }

    /// <summary>From just before a publication's request to each client's receipt.</summary>
    public required LatencyHistogram Propagation { get; init; }

    /// <summary>
    /// Checks of correctness: all clients connected, each delivery once and in order, and at least one delivery.
    /// </summary>
    public IReadOnlyList<CheckResult> Checks()
    {
        var fault = FirstFault is null ? "" : $"; the first fault: {FirstFault}";
        return
        [
            None("connected", Clients - Opened, $"{Opened} of {Clients} event streams opened{fault}"),
            None("cutStreams", Cuts, $"{Cuts} open event streams ended although no client closed them{fault}"),
            None("stillConnected", Opened - OpenNow, $"{OpenNow} of {Opened} event streams are open at the end{fault}"),
            None("delivered", Counts.Delivered > 0 ? 0 : 1,
                $"{Counts.Delivered} deliveries of {Counts.Publications} publications to {Opened} clients"),
            None("lostDeliveries", Counts.Lost, $"{Counts.Lost} deliveries are missing, {Counts.Delivered} came"),
            None("doubledDeliveries", Counts.Doubled, $"{Counts.Doubled} deliveries came again"),
            None("reorderedEvents", Counts.OutOfOrder,
                $"{Counts.OutOfOrder} events came after later ones of their stream"),
            None("sequenceGaps", Counts.Gaps,
                $"{Counts.Gaps} numbers are missing between those that clients saw of a stream"),
            None("foreignEvents", Counts.Foreign, $"{Counts.Foreign} events have no place in this load{fault}"),
        ];

        static CheckResult None(string name, long value, FormattableString reason) =>
            CheckResult.AtMost(name, CheckSubject.System, value, 0, reason);
    }
}
