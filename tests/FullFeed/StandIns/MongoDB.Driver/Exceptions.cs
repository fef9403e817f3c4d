using MongoDB.Bson;

namespace MongoDB.Driver;

public class MongoException(string message, Exception? innerException = null) : Exception(message, innerException)
{
    private readonly List<string> _labels = [];

    public void AddErrorLabel(string errorLabel) => _labels.Add(errorLabel);

    public bool HasErrorLabel(string errorLabel) => _labels.Contains(errorLabel);
}

public class MongoClientException(string message) : MongoException(message);

public sealed class MongoConfigurationException(string message) : MongoClientException(message);

public class MongoConnectionException(string message, Exception? innerException = null) : MongoException(message, innerException);

public sealed class MongoAuthenticationException(string message) : MongoConnectionException(message);

public abstract class MongoServerException(string message) : MongoException(message);

public sealed class MongoCommandException(string message, BsonDocument result) : MongoServerException(message)
{
    public int Code => result.GetValue("code", -1).ToInt32();

    public string? CodeName => result.TryGetValue("codeName", out var name) ? name.AsString : null;
}

public enum ServerErrorCategory
{
    Uncategorized,
    DuplicateKey,
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

public sealed class MongoBulkWriteException<TDocument>(string message, IReadOnlyList<BulkWriteError> writeErrors)
    : MongoBulkWriteException(message, writeErrors);
