using System.Globalization;
using MongoDB.Bson;

namespace MongoDB.StandIn;

/// <content>What was committed, in order, for those who watch; kept as long as the server lives, or as a test says.</content>
public sealed partial class StubServer
{
    private readonly List<(string Space, BsonDocument Change)> _changes = [];
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Changes before this one are forgotten.</summary>
    public int OldestChange { get; set; }

    /// <summary>The place behind the last change.</summary>
    public int ChangesEnd
    {
        get
        {
            lock (_gate)
            {
                return _changes.Count;
            }
        }
    }

    /// <summary>The changes of a collection from a place on, the place behind them, and the end of the wait for the next one of any.</summary>
    public (IReadOnlyList<BsonDocument> Changes, int End, Task Next) ReadChanges(string space, int from)
    {
        lock (_gate)
        {
            return from < OldestChange
                ? throw StubErrors.Command(286, "ChangeStreamHistoryLost", "Resume of change stream was not possible, as the resume point may no longer be in the oplog.", "NonResumableChangeStreamError")
                : ([.. _changes.Skip(from).Where(c => c.Space == space).Select(c => c.Change)], _changes.Count, _changed.Task);
        }
    }

    public static BsonDocument PlaceOf(int end) => new("_data", end.ToString("x8", CultureInfo.InvariantCulture));

    public static int PlaceFrom(BsonDocument token) => int.Parse(token["_data"].AsString, NumberStyles.HexNumber, CultureInfo.InvariantCulture);

    /// <summary>Called for every document as it is committed.</summary>
    private void Tell(string space, BsonValue id, BsonDocument? before, BsonDocument? after)
    {
        var change = new BsonDocument { { "_id", PlaceOf(_changes.Count + 1) }, { "operationType", before is null ? "insert" : after is null ? "delete" : "replace" }, { "documentKey", new BsonDocument("_id", id) } };
        _changes.Add((space, after is null ? change : change.Add("fullDocument", after)));
        var told = _changed;
        _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
        told.SetResult();
    }
}
