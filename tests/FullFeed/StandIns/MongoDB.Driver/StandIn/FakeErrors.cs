using MongoDB.Bson;
using MongoDB.Driver;

namespace MongoDB.StandIn;

/// <summary>Errors with the codes and labels of the server.</summary>
public static class FakeErrors
{
    public const string Transient = "TransientTransactionError";
    public const string UnknownCommit = "UnknownTransactionCommitResult";
    public const int DuplicateKey = 11000;
    public const int TooLarge = 10334;
    public const int Validation = 121;

    public static MongoCommandException WriteConflict() =>
        Command(112, "WriteConflict", "Caused by :: Write conflict during plan execution and yielding is disabled. Please retry your "
            + "operation or multi-document transaction.", Transient);

    public static MongoCommandException NoSuchTransaction() =>
        Command(251, "NoSuchTransaction", "Given transaction number does not match any in-progress transactions.", Transient);

    public static MongoCommandException Command(int code, string codeName, string message, params string[] labels)
    {
        var error = new MongoCommandException(
            connectionId: null,
            $"Command failed: {message}",
            command: null,
            new BsonDocument { { "ok", 0 }, { "code", code }, { "codeName", codeName }, { "errmsg", message } });
        foreach (var label in labels)
        {
            error.AddErrorLabel(label);
        }

        return error;
    }

    /// <summary>The connection broke while a statement or, with <see cref="UnknownCommit"/>, a commit was under way.</summary>
    public static MongoConnectionException Network(params string[] labels)
    {
        var error = new MongoConnectionException(
            connectionId: null,
            "An exception occurred while receiving a message from the server.", new IOException("Connection reset by peer"));
        foreach (var label in labels)
        {
            error.AddErrorLabel(label);
        }

        return error;
    }
}

/// <summary>A write that the server refuses by itself, within a bulk.</summary>
public sealed class FakeWriteException(int code, string message) : Exception(message)
{
    public int Code => code;
}
