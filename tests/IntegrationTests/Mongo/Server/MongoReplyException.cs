namespace IntegrationTests.Mongo.Server;

/// <summary>An error that the server answers, with the codes and labels of a real one.</summary>
internal sealed class MongoReplyException(int code, string name, string message, params string[] labels)
    : Exception(message)
{
    public const string Transient = "TransientTransactionError";
    public const string UnknownCommit = "UnknownTransactionCommitResult";
    public const int DuplicateKey = 11000;
    public const int TooLarge = 17419;
    public const int Validation = 121;

    public int Code => code;

    public static MongoReplyException WriteConflict() => new(
        112,
        "WriteConflict",
        "Caused by :: Write conflict during plan execution and yielding is disabled. Please retry your operation or "
        + "multi-document transaction.",
        Transient);

    public static MongoReplyException NoSuchTransaction() => new(
        251, "NoSuchTransaction", "Given transaction number does not match any in-progress transactions.", Transient);

    public static MongoReplyException UnknownStage(string stage) =>
        new(40324, "Location40324", $"Unrecognized pipeline stage name: '{stage}'");

    public static MongoReplyException BadValue(string message) => new(2, "BadValue", message);

    public BsonDocument ToReply()
    {
        var reply = new BsonDocument { { "ok", 0.0 }, { "errmsg", Message }, { "code", code }, { "codeName", name } };
        return labels.Any(label => label.Length > 0) ? reply.Add("errorLabels", new BsonArray(labels)) : reply;
    }
}
