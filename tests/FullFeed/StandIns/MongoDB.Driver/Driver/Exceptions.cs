using MongoDB.Bson;

namespace MongoDB.Driver;

public class MongoException(string message, Exception? innerException = null) : Exception(message, innerException)
{
    private readonly List<string> _labels = [];

    public IReadOnlyList<string> ErrorLabels => _labels;

    public void AddErrorLabel(string errorLabel) => _labels.Add(errorLabel);

    public bool HasErrorLabel(string errorLabel) => _labels.Contains(errorLabel);
}

public class MongoClientException(string message) : MongoException(message);

public sealed class MongoConfigurationException(string message) : MongoClientException(message);

public class MongoConnectionException(string message, Exception? innerException = null) : MongoException(message, innerException);

public sealed class MongoAuthenticationException(string message) : MongoConnectionException(message);

public abstract class MongoServerException(string message) : MongoException(message);

public class MongoCommandException(string message, BsonDocument command, BsonDocument result) : MongoServerException(message)
{
    public int Code => result.GetValue("code", -1).ToInt32();

    public string? CodeName => result.TryGetValue("codeName", out var name) ? name.AsString : null;

    public BsonDocument Command => command;

    public BsonDocument Result => result;
}

public sealed class MongoWriteConcernException(string message, BsonDocument command, BsonDocument result) : MongoCommandException(message, command, result);

public sealed class MongoExecutionTimeoutException(string message) : MongoServerException(message);

public enum ServerErrorCategory
{
    Uncategorized,
    DuplicateKey,
    ExecutionTimeout,
}

public sealed class BulkWriteError(int index, ServerErrorCategory category, int code, string message)
{
    public int Index => index;

    public ServerErrorCategory Category => category;

    public int Code => code;

    public string Message => message;
}

public abstract class MongoBulkWriteException(string message, IReadOnlyList<BulkWriteError> writeErrors) : MongoServerException(message)
{
    public IReadOnlyList<BulkWriteError> WriteErrors => writeErrors;
}

public sealed class MongoBulkWriteException<TDocument>(string message, IReadOnlyList<BulkWriteError> writeErrors, BulkWriteResult<TDocument> result)
    : MongoBulkWriteException(message, writeErrors)
{
    public BulkWriteResult<TDocument> Result => result;
}
