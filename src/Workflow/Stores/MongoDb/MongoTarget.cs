namespace Workflow.Stores.MongoDb;

/// <summary>The location of the store, for the driver and as text without a password.</summary>
internal sealed class MongoTarget
{
    public const string Example = "mongodb://user:password@127.0.0.1:27017/workflow?replicaSet=rs0";
    private const string DefaultDatabase = "workflow";

    private static readonly TimeSpan ConnectLimit = TimeSpan.FromSeconds(10);

    private readonly MongoUrl _url;

    /// <exception cref="ArgumentException">
    /// The connection string cannot be read; the message does not repeat it.
    /// </exception>
    public MongoTarget(string connectionString)
    {
        try
        {
            _url = new(connectionString);
        }
        catch (Exception e) when (e is MongoConfigurationException or ArgumentException or FormatException)
        {
            // Neither the text nor the driver's message, which repeats it: both may hold a password.
            throw new ArgumentException(
                $"The MongoDB connection string cannot be read. It looks like {Example}; characters of a password that "
                    + "have a meaning in an address are written as %xx.", nameof(connectionString));
        }

        Database = string.IsNullOrEmpty(_url.DatabaseName) ? DefaultDatabase : _url.DatabaseName;
        if (Database.Length > 63 || Database.AsSpan().ContainsAny("/\\. \"$*<>:|?"))
        {
            throw new ArgumentException(
                $"The database name '{Database}' is not allowed: use 1 to 63 characters without any of /\\. \"$*<>:|? "
                    + "and no space.",
                nameof(connectionString));
        }
    }

    public string Database { get; }

    /// <summary>
    /// Every wait of the driver is bounded, and it repeats no write by itself: the engine knows which batch is safe to
    /// repeat.
    /// </summary>
    public MongoClientSettings ToSettings(TimeSpan longestCall)
    {
        var settings = MongoClientSettings.FromUrl(_url);
        settings.ApplicationName ??= "workflow-engine";
        settings.ConnectTimeout = ConnectLimit;
        settings.ServerSelectionTimeout = ConnectLimit;
        settings.WaitQueueTimeout = ConnectLimit;
        settings.SocketTimeout = longestCall;
        settings.RetryWrites = false;
        settings.ReadConcern = ReadConcern.Majority;
        settings.ReadPreference = ReadPreference.Primary;
        return settings;
    }

    /// <summary>The text without the password.</summary>
    public string Clean(string text) =>
        string.IsNullOrEmpty(_url.Password) ? text : text.Replace(_url.Password, "***", StringComparison.Ordinal);

    public override string ToString() => Clean($"MongoDB at {string.Join(",", _url.Servers)}, database '{Database}'")
        + (string.IsNullOrEmpty(_url.Username) ? "" : $", user '{_url.Username}'");
}
