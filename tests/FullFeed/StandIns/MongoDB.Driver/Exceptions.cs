using MongoDB.Bson;
using MongoDB.Driver.Core.Connections;

namespace MongoDB.Driver.Core.Connections
{
    /// <summary>Only names the type: nobody reads which connection it was.</summary>
    public sealed class ConnectionId;
}

namespace MongoDB.Driver
{
    public class MongoException(string message, Exception? innerException = null) : Exception(message, innerException)
    {
        private readonly HashSet<string> _labels = [];

        public void AddErrorLabel(string errorLabel) => _labels.Add(errorLabel);

        public bool HasErrorLabel(string errorLabel) => _labels.Contains(errorLabel);
    }

    public class MongoClientException(string message, Exception? innerException = null) : MongoException(message, innerException);

    public class MongoConfigurationException(string message, Exception? innerException = null)
        : MongoClientException(message, innerException);

    public class MongoConnectionException(ConnectionId? connectionId, string message, Exception? innerException = null)
        : MongoException(message, innerException)
    {
        public ConnectionId? ConnectionId => connectionId;
    }

    public class MongoAuthenticationException(ConnectionId? connectionId, string message, Exception? innerException = null)
        : MongoConnectionException(connectionId, message, innerException);

    public class MongoServerException(ConnectionId? connectionId, string message, Exception? innerException = null)
        : MongoException(message, innerException)
    {
        public ConnectionId? ConnectionId => connectionId;
    }

    public class MongoCommandException(ConnectionId? connectionId, string message, BsonDocument? command, BsonDocument result)
        : MongoServerException(connectionId, message)
    {
        public int Code => result.GetValue("code", -1).ToInt32();

        public string? CodeName => result.TryGetValue("codeName", out var name) ? name.AsString : null;

        public BsonDocument? Command => command;
    }

    public class MongoNotPrimaryException(ConnectionId? connectionId, BsonDocument? command, BsonDocument result)
        : MongoCommandException(connectionId, "Server returned not primary error.", command, result);

    public class MongoNodeIsRecoveringException(ConnectionId? connectionId, BsonDocument? command, BsonDocument result)
        : MongoCommandException(connectionId, "Server returned node is recovering error.", command, result);

    public enum ServerErrorCategory
    {
        Uncategorized,
        DuplicateKey,
        ExecutionTimeout,
    }

    /// <summary>Made by the driver alone in the original.</summary>
    public sealed class BulkWriteError(int index, ServerErrorCategory category, int code, string message)
    {
        public int Index => index;

        public ServerErrorCategory Category => category;

        public int Code => code;

        public string Message => message;

        public override string ToString() => $$"""{ Category : "{{category}}", Code : {{code}}, Message : "{{message}}" }""";
    }

    public sealed class WriteConcernError;

    public abstract class MongoBulkWriteException(
        ConnectionId? connectionId, IEnumerable<BulkWriteError> writeErrors, WriteConcernError? writeConcernError)
        : MongoServerException(
            connectionId, $"A bulk write operation resulted in one or more errors. WriteErrors: [ {string.Join(", ", writeErrors)} ].")
    {
        public IReadOnlyList<BulkWriteError> WriteErrors { get; } = [.. writeErrors];

        public WriteConcernError? WriteConcernError => writeConcernError;
    }

    public sealed class MongoBulkWriteException<TDocument>(
        ConnectionId? connectionId, BulkWriteResult<TDocument>? result, IEnumerable<BulkWriteError> writeErrors,
        WriteConcernError? writeConcernError, IEnumerable<WriteModel<TDocument>> unprocessedRequests)
        : MongoBulkWriteException(connectionId, writeErrors, writeConcernError)
    {
        public BulkWriteResult<TDocument>? Result => result;

        public IReadOnlyList<WriteModel<TDocument>> UnprocessedRequests { get; } = [.. unprocessedRequests];
    }
}
