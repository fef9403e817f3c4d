namespace Workflow.Stores.PostgreSql;

public sealed record PostgresStoreOptions
{
    /// <summary>
    /// Npgsql connection string. Pool settings, search path and prepared statements are overridden by the store's own.
    /// </summary>
    public required string ConnectionString { get; init; }

    /// <summary>
    /// Schema that holds the tables; made when missing. Default <c>workflow</c>. Engines on one schema share its lanes.
    /// </summary>
    public string Schema { get; init; } = "workflow";

    /// <summary>
    /// Connections for lists, and as many for single instances, besides one per lane, one for the lease, up to three
    /// for inboxes, one for upkeep, two for lanes' look-ups and definitions. Default 4.
    /// </summary>
    public int ReadConnections { get; init; } = 4;

    /// <summary>How long a flush may take before the server counts as gone. Default 30 s.</summary>
    public TimeSpan FlushTimeout { get; init; } = TimeSpan.FromSeconds(30);

    internal NpgsqlConnectionStringBuilder ToBuilder()
    {
        NpgsqlConnectionStringBuilder builder;
        try
        {
            builder = new(ConnectionString);
        }
        catch (Exception e) when (e is ArgumentException or FormatException or KeyNotFoundException)
        {
            // The text may hold a password: it is not repeated.
            throw new ArgumentException($"The PostgreSQL connection string cannot be read: {e.Message} It looks like "
                + "Host=127.0.0.1;Port=5432;Database=db;Username=user;Password=...", nameof(ConnectionString));
        }

        if (string.IsNullOrEmpty(builder.Host))
        {
            throw new ArgumentException("The PostgreSQL connection string names no Host. It looks like "
                + "Host=127.0.0.1;Port=5432;Database=db;Username=user;Password=...", nameof(ConnectionString));
        }

        if (Schema.Length is 0 or > 63
            || !Schema.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '_')
            || char.IsAsciiDigit(Schema[0]))
        {
            throw new ArgumentException(
                $"The schema name '{Schema}' is not allowed: use 1 to 63 of a-z, 0-9 and _, not beginning with a "
                    + "digit.", nameof(Schema));
        }

        builder.SearchPath = Schema;
        builder.MaxAutoPrepare = 64;
        builder.AutoPrepareMinUsages = 1;
        builder.ApplicationName ??= "workflow-engine";
        builder.Timeout = Math.Min(builder.Timeout, 10);
        return builder;
    }
}
