namespace MongoDB.Driver;

public readonly struct Optional<T>(T value)
{
    public bool HasValue { get; } = true;

    public T Value => value;

    public static implicit operator Optional<T>(T value) => new(value);
}

public enum ReadConcernLevel
{
    Available,
    Linearizable,
    Local,
    Majority,
    Snapshot,
}

public sealed record ReadConcern(ReadConcernLevel? Level)
{
    public static ReadConcern Default { get; } = new((ReadConcernLevel?)null);

    public static ReadConcern Local { get; } = new(ReadConcernLevel.Local);

    public static ReadConcern Majority { get; } = new(ReadConcernLevel.Majority);

    public static ReadConcern Snapshot { get; } = new(ReadConcernLevel.Snapshot);
}

public sealed record ReadPreference(string ReadPreferenceMode)
{
    public static ReadPreference Primary { get; } = new("Primary");
}

/// <summary>Compared by its members, as the original.</summary>
public sealed record WriteConcern
{
    private WriteConcern(string w) => W = w;

    public static WriteConcern Acknowledged { get; } = new("");

    public static WriteConcern W1 { get; } = new("1");

    public static WriteConcern WMajority { get; } = new("majority");

    /// <summary>A union in the original; its text here.</summary>
    public string W { get; private init; }

    public bool? Journal { get; private init; }

    public TimeSpan? WTimeout { get; private init; }

    public WriteConcern With(Optional<TimeSpan?> wTimeout = default, Optional<bool?> journal = default) => this with
    {
        WTimeout = wTimeout.HasValue ? wTimeout.Value : WTimeout,
        Journal = journal.HasValue ? journal.Value : Journal,
    };
}

public sealed class TransactionOptions(
    Optional<ReadConcern> readConcern = default,
    Optional<ReadPreference> readPreference = default,
    Optional<WriteConcern> writeConcern = default,
    Optional<TimeSpan?> maxCommitTime = default)
{
    public ReadConcern? ReadConcern => readConcern.Value;

    public ReadPreference? ReadPreference => readPreference.Value;

    public WriteConcern? WriteConcern => writeConcern.Value;

    public TimeSpan? MaxCommitTime => maxCommitTime.Value;
}

public sealed class ClientSessionOptions
{
    public bool? CausalConsistency { get; set; }

    public TransactionOptions? DefaultTransactionOptions { get; set; }

    public bool Snapshot { get; set; }
}
