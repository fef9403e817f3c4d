namespace IntegrationTests.Mongo.Server;

/// <summary>Every document that was committed, in order, for change streams. Thread-safe.</summary>
internal sealed class ChangeLog
{
    private readonly Lock _gate = new();
    private readonly List<(string Space, BsonDocument Change)> _changes = [];
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Changes before this one are forgotten.</summary>
    public int Oldest { get; set; }

    /// <summary>The place behind the last change.</summary>
    public int End
    {
        get
        {
            lock (_gate)
            {
                return _changes.Count;
            }
        }
    }

    public static BsonDocument TokenOf(int place) => new("_data", place.ToString("x8", CultureInfo.InvariantCulture));

    public static int PlaceOf(BsonDocument token) =>
        int.Parse(token["_data"].AsString, NumberStyles.HexNumber, CultureInfo.InvariantCulture);

    /// <summary>
    /// The changes of a collection from a place on, the place behind them, and the end of the wait for the next one of
    /// any.
    /// </summary>
    public (IReadOnlyList<BsonDocument> Changes, int End, Task Next) Read(string space, int from)
    {
        lock (_gate)
        {
            if (from < Oldest)
            {
                throw new MongoReplyException(
                    286,
                    "ChangeStreamHistoryLost",
                    "Resume of change stream was not possible, as the resume point may no longer be in the oplog.",
                    "NonResumableChangeStreamError");
            }

            var changes = _changes.Skip(from).Where(c => c.Space == space).Select(c => c.Change);
            return ([.. changes], _changes.Count, _changed.Task);
        }
    }

    public void Add(string space, BsonValue id, BsonDocument? before, BsonDocument? after)
    {
        lock (_gate)
        {
            var change = new BsonDocument
            {
                { "_id", TokenOf(_changes.Count + 1) }, { "operationType", TypeOf(before, after) },
                { "documentKey", new BsonDocument("_id", id) },
            };
            _changes.Add((space, after is null ? change : change.Add("fullDocument", after)));
            var changed = _changed;
            _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
            changed.SetResult();
        }
    }

    private static string TypeOf(BsonDocument? before, BsonDocument? after)
    {
        if (before is null)
        {
            return "insert";
        }

        return after is null ? "delete" : "replace";
    }
}
