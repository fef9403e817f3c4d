namespace LoadTesting.Core.Results;

/// <summary>
/// What the parts below the system can do on this machine, measured in the same run: no result can honestly pass them
/// by far.
/// </summary>
public sealed record CeilingsResult
{
    /// <summary>Forced writes of one page per second to the backend's file system, one writer.</summary>
    public double? FsyncPerSecond { get; init; }

    /// <summary>Commits of one inserted row per second over one connection.</summary>
    public double? CommitsPerSecond { get; init; }

    /// <summary>Commits of one inserted row per second over <see cref="ConcurrentClients"/> connections.</summary>
    public double? ConcurrentCommitsPerSecond { get; init; }

    /// <summary>Connections used for <see cref="ConcurrentCommitsPerSecond"/>.</summary>
    public int? ConcurrentClients { get; init; }

    /// <summary>Median time of the smallest query (<c>SELECT 1</c>) over one connection, milliseconds.</summary>
    public double? RoundTripMs { get; init; }

    /// <summary>Empty HTTP requests per second to the service's host.</summary>
    public double? EmptyHttpPerSecond { get; init; }

    /// <summary>
    /// Events per second over the transport of results that name one, published and consumed without a system under
    /// test.
    /// </summary>
    public double? TransportEventsPerSecond { get; init; }

    /// <summary>Median time of one such event from its publish to its consumer, milliseconds.</summary>
    public double? TransportMs { get; init; }

    /// <summary>Why a member is null, and how the others were measured.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>The members that exactly one of several profiles measured; null when no profile measured any.</summary>
    public static CeilingsResult? Common(IReadOnlyDictionary<string, CeilingsResult> byProfile)
    {
        if (byProfile.Count <= 1)
        {
            return byProfile.Values.FirstOrDefault();
        }

        return new CeilingsResult
        {
            FsyncPerSecond = Only(byProfile, c => c.FsyncPerSecond),
            CommitsPerSecond = Only(byProfile, c => c.CommitsPerSecond),
            ConcurrentCommitsPerSecond = Only(byProfile, c => c.ConcurrentCommitsPerSecond),
            ConcurrentClients = (int?)Only(byProfile, c => c.ConcurrentClients),
            RoundTripMs = Only(byProfile, c => c.RoundTripMs),
            EmptyHttpPerSecond = Only(byProfile, c => c.EmptyHttpPerSecond),
            TransportEventsPerSecond = Only(byProfile, c => c.TransportEventsPerSecond),
            TransportMs = Only(byProfile, c => c.TransportMs),
            Notes = ["A value stands here when exactly one profile measured it; ceilingsByProfile has them all."],
        };
    }

    private static double? Only(
        IReadOnlyDictionary<string, CeilingsResult> byProfile, Func<CeilingsResult, double?> member)
    {
        var measured = byProfile.Values.Select(member).Where(value => value is not null).ToList();
        return measured.Count == 1 ? measured[0] : null;
    }
}
