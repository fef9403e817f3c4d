using Npgsql;
using NpgsqlTypes;
using Workflow.Abstractions;
using Workflow.Abstractions.Stores;

namespace Workflow.Stores.PostgreSql;

/// <summary>
/// The store on PostgreSQL 14 or newer. Several nodes share a schema by leases on its lanes; what protects the data is the epoch of each lane, checked
/// inside every flush.
/// </summary>
public sealed partial class PostgresStore : IWorkflowStore
{
    // A put, a reading and a fetch of answers at a time.
    private const int InboxConnections = 3;

    private readonly PostgresStoreOptions _options;
    private readonly NpgsqlConnectionStringBuilder _target;
    private readonly NpgsqlDataSource _reads;
    private readonly NpgsqlDataSource _inboxes;
    private readonly NpgsqlDataSource _single;
    private readonly PostgresCluster _cluster;

    /// <summary>Makes a store that connects when it is opened.</summary>
    /// <exception cref="ArgumentException">The connection string or the schema name is wrong; the message has no password.</exception>
    public PostgresStore(PostgresStoreOptions options)
    {
        _options = options;
        _target = options.ToBuilder();
        _reads = Source(options.ReadConnections);
        _inboxes = Source(InboxConnections);
        _single = Source(pooled: 0);
        _cluster = new(_inboxes, token => ConnectAsync(_single, token), _target);
    }

    /// <inheritdoc/>
    public string Description => $"PostgreSQL at {_target.Host}:{_target.Port}, database '{_target.Database}', schema '{_options.Schema}'";

    /// <inheritdoc/>
    public IClusterStore Cluster => _cluster;

    /// <inheritdoc/>
    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        var connection = await ConnectAsync(_single, cancellationToken).ConfigureAwait(false);
        await using (connection.ConfigureAwait(false))
        {
            try
            {
                await SchemaMigration.ApplyAsync(connection, _options.Schema, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (PostgresErrors.IsConnectionError(e))
            {
                throw PostgresErrors.ToUnavailable(e, _target);
            }
        }
    }

    /// <inheritdoc/>
    public async Task<int> CountLanesAsync(CancellationToken cancellationToken) =>
        (await ReadAsync("CountLanes", r => r.GetInt32(0), cancellationToken).ConfigureAwait(false))[0];

    /// <inheritdoc/>
    public async Task<ILaneStore> OpenLaneAsync(LaneAssignment lane, CancellationToken cancellationToken)
    {
        var connection = await ConnectAsync(_single, cancellationToken).ConfigureAwait(false);
        return new PostgresLane(connection, _reads, lane, _options.FlushTimeout);
    }

    /// <inheritdoc/>
    public async Task<InstanceRow?> FindInstanceAsync(Guid id, CancellationToken cancellationToken) =>
        (await ReadAsync("FindInstance", Rows.Instance, cancellationToken, Query.Of(id)).ConfigureAwait(false)).FirstOrDefault();

    /// <inheritdoc/>
    public Task<IReadOnlyList<InstanceRow>> ListInstancesAsync(InstanceQuery query, CancellationToken cancellationToken) => ReadAsync(
        "ListInstances",
        Rows.Instance,
        cancellationToken,
        Optional(query.Definition, NpgsqlDbType.Text),
        Optional((short?)query.State, NpgsqlDbType.Smallint),
        Optional(query.CorrelationKey, NpgsqlDbType.Text),
        Optional(query.After, NpgsqlDbType.Uuid),
        Query.Of(query.Limit));

    /// <inheritdoc/>
    public async Task<string?> FindHistoryAsync(Guid id, CancellationToken cancellationToken) =>
        (await ReadAsync("FindHistory", r => r.GetString(0), cancellationToken, Query.Of(id)).ConfigureAwait(false)).FirstOrDefault();

    /// <inheritdoc/>
    public async Task<DeadLetterRow?> FindDeadLetterAsync(Guid id, CancellationToken cancellationToken) =>
        (await ReadAsync("FindDeadLetter", Rows.DeadLetter, cancellationToken, Query.Of(id)).ConfigureAwait(false)).FirstOrDefault();

    /// <inheritdoc/>
    public Task<IReadOnlyList<DeadLetterRow>> ListDeadLettersAsync(DeadLetterQuery query, CancellationToken cancellationToken) => ReadAsync(
        "ListDeadLetters",
        Rows.DeadLetter,
        cancellationToken,
        Query.Of(query.Replayed),
        Optional((short?)query.Kind, NpgsqlDbType.Smallint),
        Optional(query.InstanceId, NpgsqlDbType.Uuid),
        Optional(query.After, NpgsqlDbType.Uuid),
        Query.Of(query.Limit));

    /// <inheritdoc/>
    public Task<IReadOnlyList<EventRow>> ReadEventsAsync(int stream, long afterSequence, int limit, CancellationToken cancellationToken) =>
        ReadAsync("ReadEvents", Rows.Event, cancellationToken, Query.Of(stream), Query.Of(afterSequence), Query.Of(limit));

    /// <inheritdoc/>
    public Task<IReadOnlyList<DefinitionRow>> LoadDefinitionsAsync(CancellationToken cancellationToken) =>
        ReadAsync("LoadDefinitions", Rows.Definition, cancellationToken);

    /// <inheritdoc/>
    public async Task<DefinitionRow> AddDefinitionAsync(DefinitionRow definition, CancellationToken cancellationToken)
    {
        // PostgreSQL keeps microseconds: what is stored must compare equal to what was offered.
        var offered = definition.RegisteredUtc.AddTicks(-(definition.RegisteredUtc.Ticks % TimeSpan.TicksPerMicrosecond));
        var stored = (await ReadAsync(
            "AddDefinition",
            Rows.Definition,
            cancellationToken,
            Query.Of(definition.Name),
            Query.Of(definition.Version),
            Query.Of(definition.ContentHash),
            Query.Of(definition.Body),
            Query.Of(offered.UtcDateTime)).ConfigureAwait(false))[0];
        return stored.RegisteredUtc == offered && stored.ContentHash == definition.ContentHash ? definition : stored;
    }

    /// <inheritdoc/>
    public async Task TrimAsync(DateTimeOffset eventsBeforeUtc, DateTimeOffset keysBeforeUtc, DateTimeOffset replayedBeforeUtc, CancellationToken cancellationToken)
    {
        await ReadAsync("TrimEvents", _ => 0, cancellationToken, Query.Of(eventsBeforeUtc.UtcDateTime)).ConfigureAwait(false);
        await ReadAsync("TrimKeys", _ => 0, cancellationToken, Query.Of(keysBeforeUtc.UtcDateTime)).ConfigureAwait(false);
        await ReadAsync("TrimReplies", _ => 0, cancellationToken).ConfigureAwait(false);
        await ReadAsync("TrimDeadLetters", _ => 0, cancellationToken, Query.Of(replayedBeforeUtc.UtcDateTime)).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _cluster.DisposeAsync().ConfigureAwait(false);
        await _reads.DisposeAsync().ConfigureAwait(false);
        await _inboxes.DisposeAsync().ConfigureAwait(false);
        await _single.DisposeAsync().ConfigureAwait(false);
    }

    private static NpgsqlParameter Optional(object? value, NpgsqlDbType type) => new() { Value = value ?? DBNull.Value, NpgsqlDbType = type };

    private NpgsqlDataSource Source(int pooled) => NpgsqlDataSource.Create(new NpgsqlConnectionStringBuilder(_target.ConnectionString)
    {
        Pooling = pooled > 0,
        MinPoolSize = 0,
        MaxPoolSize = Math.Max(1, pooled),
    });

    private async Task<IReadOnlyList<T>> ReadAsync<T>(
        string statement, Func<NpgsqlDataReader, T> read, CancellationToken cancellationToken, params NpgsqlParameter[] parameters)
    {
        try
        {
            try
            {
                return await ReadOnceAsync(statement, read, cancellationToken, parameters).ConfigureAwait(false);
            }
            catch (Exception e) when (PostgresErrors.IsLostConnection(e))
            {
                // A server that was restarted leaves dead connections in the pool, each of which would fail a read. What is read here may be read twice.
                _reads.Clear();
                return await ReadOnceAsync(statement, read, cancellationToken, Array.ConvertAll(parameters, p => p.Clone())).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (PostgresErrors.IsConnectionError(e))
        {
            throw PostgresErrors.ToUnavailable(e, _target);
        }
    }

    private async Task<IReadOnlyList<T>> ReadOnceAsync<T>(
        string statement, Func<NpgsqlDataReader, T> read, CancellationToken cancellationToken, NpgsqlParameter[] parameters)
    {
        var connection = await _reads.OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
        await using (connection.ConfigureAwait(false))
        {
            return await Query.ListAsync(connection, statement, read, cancellationToken, parameters).ConfigureAwait(false);
        }
    }

    private async Task<NpgsqlConnection> ConnectAsync(NpgsqlDataSource source, CancellationToken cancellationToken)
    {
        try
        {
            return await source.OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (PostgresErrors.IsConnectionError(e))
        {
            throw PostgresErrors.ToUnavailable(e, _target);
        }
    }
}
