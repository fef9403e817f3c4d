using System.Data;
using Npgsql;
using NpgsqlTypes;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;

namespace Workflow.DataStore.PostgreSql;

/// <summary>
/// The store on PostgreSQL 14 or newer. Ownership of a schema is an advisory lock on a connection of its own; what protects the data is the
/// epoch of each lane, checked inside every flush.
/// </summary>
public sealed partial class PostgresStore : IWorkflowStore
{
    private static readonly TimeSpan OwnershipPause = TimeSpan.FromMilliseconds(100);

    private readonly PostgresStoreOptions _options;
    private readonly TimeProvider _time;
    private readonly NpgsqlConnectionStringBuilder _target;
    private readonly NpgsqlDataSource _reads;
    private readonly NpgsqlDataSource _single;
    private readonly SemaphoreSlim _ownershipGate = new(1, 1);
    private NpgsqlConnection? _ownership;

    /// <summary>Makes a store that connects when it is opened.</summary>
    /// <exception cref="ArgumentException">The connection string or the schema name is wrong; the message has no password.</exception>
    public PostgresStore(PostgresStoreOptions options, TimeProvider? timeProvider = null)
    {
        _options = options;
        _time = timeProvider ?? TimeProvider.System;
        _target = options.ToBuilder();
        _reads = Source(pooling: true);
        _single = Source(pooling: false);
    }

    /// <inheritdoc/>
    public string Description => $"PostgreSQL at {_target.Host}:{_target.Port}, database '{_target.Database}', schema '{_options.Schema}'";

    /// <inheritdoc/>
    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        await OwnAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            await SchemaMigration.ApplyAsync(_ownership!, _options.Schema, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (PostgresErrors.IsConnectionError(e))
        {
            throw PostgresErrors.ToUnavailable(e, _target);
        }
    }

    /// <inheritdoc/>
    public async Task<int> CountLanesAsync(CancellationToken cancellationToken) =>
        (await ReadAsync("CountLanes", r => r.GetInt32(0), cancellationToken).ConfigureAwait(false))[0];

    /// <inheritdoc/>
    public async Task<ILaneStore> OpenLaneAsync(LaneAssignment lane, CancellationToken cancellationToken)
    {
        // A server that was restarted has forgotten who owns the schema.
        await OwnAsync(cancellationToken).ConfigureAwait(false);
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
        await ReadAsync("TrimDeadLetters", _ => 0, cancellationToken, Query.Of(replayedBeforeUtc.UtcDateTime)).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_ownership is not null)
        {
            await _ownership.DisposeAsync().ConfigureAwait(false);
            _ownership = null;
        }

        await _reads.DisposeAsync().ConfigureAwait(false);
        await _single.DisposeAsync().ConfigureAwait(false);
        _ownershipGate.Dispose();
    }

    private static NpgsqlParameter Optional(object? value, NpgsqlDbType type) => new() { Value = value ?? DBNull.Value, NpgsqlDbType = type };

    private NpgsqlDataSource Source(bool pooling) => NpgsqlDataSource.Create(new NpgsqlConnectionStringBuilder(_target.ConnectionString)
    {
        Pooling = pooling,
        MinPoolSize = 0,
        MaxPoolSize = pooling ? _options.ReadConnections : 1,
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

    private async Task OwnAsync(CancellationToken cancellationToken)
    {
        await _ownershipGate.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (_ownership is not null && await IsAliveAsync(_ownership, cancellationToken).ConfigureAwait(false))
            {
                return;
            }

            if (_ownership is not null)
            {
                await _ownership.DisposeAsync().ConfigureAwait(false);
                _ownership = null;
            }

            var connection = await ConnectAsync(_single, cancellationToken).ConfigureAwait(false);
            await LockAsync(connection, cancellationToken).ConfigureAwait(false);
            _ownership = connection;
        }
        finally
        {
            _ownershipGate.Release();
        }
    }

    private async Task LockAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        var since = _time.GetTimestamp();
        try
        {
            while (!(await Query.ListAsync(connection, "TryOwn", r => r.GetBoolean(0), cancellationToken).ConfigureAwait(false))[0])
            {
                if (_time.GetElapsedTime(since) >= _options.OwnershipPatience)
                {
                    var owners = await Query.ListAsync(
                        connection,
                        "FindOwner",
                        r => $"server process {r.GetInt32(0)} '{r.GetString(1)}' from {r.GetString(2)} since {r.GetDateTime(3):u}",
                        cancellationToken).ConfigureAwait(false);
                    throw new EngineAlreadyRunningException(Description, owners.Count == 0 ? "it has just gone: try again" : owners[0]);
                }

                await Task.Delay(OwnershipPause, _time, cancellationToken).ConfigureAwait(false);
            }
        }
        catch (Exception e)
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            if (PostgresErrors.IsConnectionError(e))
            {
                throw PostgresErrors.ToUnavailable(e, _target);
            }

            throw;
        }
    }

    private static async Task<bool> IsAliveAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        if (connection.State != ConnectionState.Open)
        {
            return false;
        }

        try
        {
            var command = new NpgsqlCommand("select 1", connection) { CommandTimeout = 5 };
            await using (command.ConfigureAwait(false))
            {
                await command.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false);
                return true;
            }
        }
        catch (Exception e) when (PostgresErrors.IsConnectionError(e))
        {
            return false;
        }
    }
}
