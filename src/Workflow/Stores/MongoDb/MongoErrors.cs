using System.Text.RegularExpressions;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.MongoDb;

/// <summary>
/// What an error of the server or of the connection means to the engine. Codes are those of the server's
/// <c>error_codes.yml</c>.
/// </summary>
internal static partial class MongoErrors
{
    private const string AbortedLabel = "TransientTransactionError";
    private const string UnknownCommitLabel = "UnknownTransactionCommitResult";
    private const int IllegalOperation = 20;
    private const int LongestText = 500;

    /// <summary>
    /// Bad value, not parsed, wrong type, not BSON, against the validator, too large (also after an update).
    /// </summary>
    private static readonly int[] Refusals = [2, 9, 14, 22, 121, 10334, 17419, 17420];
    private static readonly int[] TooLarge = [10334, 17419, 17420];

    public static bool IsDriverError(Exception error) =>
        error is MongoException or TimeoutException or IOException or System.Net.Sockets.SocketException;

    /// <summary>Whether the server aborted the transaction, so that nothing of it is or will be committed.</summary>
    public static bool IsAborted(Exception error) =>
        error is MongoCommandException e && e.HasErrorLabel(AbortedLabel) && !e.HasErrorLabel(UnknownCommitLabel);

    /// <summary>Whether a document with the id exists already; the transaction has ended.</summary>
    public static bool IsDuplicate(Exception error) =>
        error is MongoBulkWriteException e && e.WriteErrors.Any(w => w.Category == ServerErrorCategory.DuplicateKey);

    /// <summary>
    /// Whether the server says of a write outside transactions that it was not done. One that was not acknowledged as
    /// it should be, or that a change of the primary came between, may have been.
    /// </summary>
    public static bool IsUndone(Exception error) => error is MongoServerException and not (
        MongoNotPrimaryException or MongoNodeIsRecoveringException
            or MongoBulkWriteException { WriteConcernError: not null });

    /// <summary>Whether the server refuses the content itself.</summary>
    public static bool IsRefusal(Exception error) =>
        error is MongoBulkWriteException { WriteErrors.Count: > 0 }
            || (error is MongoCommandException e && Refusals.Contains(e.Code));

    /// <summary>
    /// Whether the driver could not write a document, e.g. half of a surrogate pair, or one that is too large: nothing
    /// of it was sent.
    /// </summary>
    public static bool IsUnwritable(Exception error) =>
        error is FormatException or EncoderFallbackException
            || error.InnerException is FormatException or EncoderFallbackException;

    public static bool IsTooLarge(BulkWriteError error) => TooLarge.Contains(error.Code);

    public static string Text(Exception error, MongoTarget target) => target.Clean(Text(error));

    /// <summary>
    /// What happened, on one line. A driver that finds no server quotes the whole state of the cluster, with the last
    /// attempt's stack: of that, only why the attempt failed.
    /// </summary>
    internal static string Text(Exception error)
    {
        var text = error switch
        {
            MongoCommandException { CodeName: { } name } e => $"{e.Code} {name}: {e.Message}",
            MongoExecutionTimeoutException { CodeName: { } name } e => $"{e.Code} {name}: {e.Message}",
            _ => error.Message,
        };
        if (Selection().Match(text) is { Success: true } selection)
        {
            var reason = Reason().Match(text);
            text = reason.Success
                ? $"{selection.Value}: {reason.Groups[1].Value.Trim(' ', '.')}."
                : $"{selection.Value}.";
        }

        text = text.Split('\n', 2)[0].TrimEnd();
        return text.Length <= LongestText ? text : $"{text.AsSpan(0, LongestText)} …";
    }

    public static FlushException ToFlushException(FlushFailure failure, Exception error, MongoTarget target) => new(
        failure,
        failure == FlushFailure.Unavailable
            ? $"MongoDB does not answer as it should: {Text(error, target)}"
            : Text(error, target),
        error);

    /// <summary>Names server, database and user, and what to look at; never the password.</summary>
    public static StoreUnavailableException ToUnavailable(
        Exception error, MongoTarget target, bool outcomeUnknown = false)
    {
        var notification = error switch
        {
            MongoAuthenticationException or MongoCommandException { Code: 18 } =>
                "Check user, password and authSource of the connection string.",
            MongoCommandException { Code: 13 } => "Grant the user readWrite on the database.",
            MongoCommandException { Code: IllegalOperation } => NoReplicaSet,
            MongoConnectionException or TimeoutException or IOException =>
                "Check that the server runs, that host and port are right, and that its replica set was initiated: "
                    + "rs.initiate().",
            _ => "See the server's log.",
        };
        return new($"{target}: {Text(error, target).TrimEnd('.')}. {notification}", outcomeUnknown, error);
    }

    public const string NoReplicaSet =
        "The server is no member of a replica set, and only those have transactions: start mongod with --replSet rs0 "
            + "and run rs.initiate() in mongosh once; one member is enough.";

    [GeneratedRegex("^A timeout occurr?ed after [0-9]+ms selecting a server", RegexOptions.CultureInvariant)]
    private static partial Regex Selection();

    /// <summary>
    /// The first server's heartbeat: the innermost of its exceptions, each on a line of its own, before the stack.
    /// </summary>
    [GeneratedRegex(
        """HeartbeatException: "(?:[^\r\n]*\r?\n ---> )*[\w.+`]+(?: \([^)\r\n]*\))?: ([^\r\n"]+)""",
        RegexOptions.CultureInvariant)]
    private static partial Regex Reason();
}
