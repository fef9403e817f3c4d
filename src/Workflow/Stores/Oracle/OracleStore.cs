using System.Data.Common;
using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.Oracle;

/// <summary>
/// The store on Oracle 19c or newer, by the driver that is found at run time. Several engines may share it; what
/// protects the data is the epoch of each lane, checked inside every flush.
/// </summary>
public sealed class OracleStore : IWorkflowStore
{
    private const int OldestMajorVersion = 19;
    private const int ClusterConnections = 3;

    private readonly TimeSpan _flushTimeout;
    private readonly OracleTarget _target;
    private readonly OracleDatabase _database;

    /// <summary>Makes a store that connects when it is opened.</summary>
    /// <param name="options">Where, and its limits.</param>
    /// <param name="timeProvider">For limits; the system's when omitted.</param>
    /// <param name="driver">Oracle's driver; found at run time when omitted.</param>
    /// <exception cref="ArgumentException">The connection string is wrong; the message has no password.</exception>
    /// <exception cref="StoreUnavailableException">Oracle's driver was not found.</exception>
    public OracleStore(OracleStoreOptions options, TimeProvider? timeProvider = null, DbProviderFactory? driver = null)
    {
        _target = new(options.ConnectionString);
        _flushTimeout = options.FlushTimeout;
        var (loaded, time) = (OracleDriver.Load(driver), timeProvider ?? TimeProvider.System);
        _database = new(loaded, _target, options.SharedConnections, kept: 0, time);

        // A pool apart: a lease must not run out because its renewal waits behind database.
        Cluster = new OracleCluster(new(loaded, _target, ClusterConnections, kept: 1, time));
    }

    public string Description => _target.ToString();

    public IClusterStore Cluster { get; }

    /// <exception cref="StoreUnavailableException">
    /// The server cannot be reached, is too old, or its character set is not Unicode.
    /// </exception>
    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        var guard = await _database.ConnectAsync(cancellationToken).ConfigureAwait(false);
        await using (guard.ConfigureAwait(false))
        {
            var changes = await _database.ConnectAsync(cancellationToken).ConfigureAwait(false);
            await using (changes.ConfigureAwait(false))
            {
                try
                {
                    await CheckServerAsync(guard, cancellationToken).ConfigureAwait(false);
                    await new OracleSchema(guard, changes, _target).ApplyAsync(cancellationToken).ConfigureAwait(false);
                }
                catch (Exception e) when (DriverErrors.IsDriverError(e))
                {
                    throw _database.ToUnavailable(e);
                }
            }
        }
    }

    public async Task<int> CountLanesAsync(CancellationToken cancellationToken) =>
        (await _database.ListAsync(Sql.Cluster["count_lanes"], r => r.GetInt32(0), cancellationToken)
            .ConfigureAwait(false))[0];

    public async Task<ILaneStore> OpenLaneAsync(LaneAssignment lane, CancellationToken cancellationToken) =>
        new OracleLane(
            await _database.ConnectAsync(cancellationToken).ConfigureAwait(false), _database, lane, _flushTimeout);

    public Task<InstanceRow?> FindInstanceAsync(Guid id, CancellationToken cancellationToken) =>
        FirstAsync(Sql.Queries["find_instance"], OracleRows.Instance, cancellationToken, Bind.Id("p_id", id));

    public Task<IReadOnlyList<InstanceRow>> ListInstancesAsync(
        InstanceQuery query, CancellationToken cancellationToken) => _database.PageAsync(
        Sql.Ordered(Sql.Queries["list_instances"], query.NewestFirst),
        OracleRows.Instance,
        cancellationToken,
        Binds(query));

    public Task<ListCount> CountInstancesAsync(InstanceQuery query, int most, CancellationToken cancellationToken) =>
        CountAsync(
            Sql.Queries["count_instances"], query.NewestFirst, most, cancellationToken,
            Binds(query with { Limit = most }));

    public async Task<string?> FindHistoryAsync(Guid id, CancellationToken cancellationToken) =>
        await _database.ListAsync(
            Sql.Queries["find_history"], r => OracleRows.Text(r, 0) ?? "", cancellationToken, Bind.Id("p_id", id))
            .ConfigureAwait(false) is { Count: > 0 } parts ? string.Concat(parts) : null;

    public Task<IReadOnlyList<Guid>> FindChildrenAsync(Guid parent, int limit, CancellationToken cancellationToken) =>
        _database.ListAsync(
            Sql.Queries["find_children"], r => OracleRows.Id(r, 0), cancellationToken, Bind.Id("p_parent_id", parent),
            Bind.Number("p_limit", limit));

    public Task<TaskRow?> FindTaskAsync(Guid id, CancellationToken cancellationToken) =>
        FirstAsync(Sql.Queries["find_task"], OracleRows.Task, cancellationToken, Bind.Id("p_id", id));

    public Task<IReadOnlyList<TaskRow>> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken) =>
        _database.PageAsync(
            Sql.Ordered(Sql.Queries["list_tasks"], query.NewestFirst), OracleRows.Task, cancellationToken,
            Binds(query));

    public Task<ListCount> CountTasksAsync(TaskQuery query, int most, CancellationToken cancellationToken) =>
        CountAsync(
            Sql.Queries["count_tasks"], query.NewestFirst, most, cancellationToken,
            Binds(query with { Limit = most }));

    public Task<DeadLetterRow?> FindDeadLetterAsync(Guid id, CancellationToken cancellationToken) =>
        FirstAsync(Sql.Queries["find_dead_letter"], OracleRows.DeadLetter, cancellationToken, Bind.Id("p_id", id));

    public Task<IReadOnlyList<DeadLetterRow>> ListDeadLettersAsync(
        DeadLetterQuery query, CancellationToken cancellationToken) => _database.PageAsync(
        Sql.Ordered(Sql.Queries["list_dead_letters"], query.NewestFirst),
        OracleRows.DeadLetter,
        cancellationToken,
        Binds(query));

    public Task<ListCount> CountDeadLettersAsync(
        DeadLetterQuery query, int most, CancellationToken cancellationToken) =>
        CountAsync(
            Sql.Queries["count_dead_letters"], query.NewestFirst, most, cancellationToken,
            Binds(query with { Limit = most }));

    public Task<IReadOnlyList<EventRow>> ReadEventsAsync(
        int stream, long afterSequence, int limit, CancellationToken cancellationToken) => _database.ListAsync(
        Sql.Queries["read_events"], OracleRows.Event, cancellationToken, Bind.Number("p_stream", stream),
        Bind.Number("p_after", afterSequence), Bind.Number("p_limit", limit));

    public Task<IReadOnlyList<DefinitionRow>> LoadDefinitionsAsync(long after, CancellationToken cancellationToken) =>
        _database.ListAsync(
            Sql.Definitions["load_definitions"], OracleRows.Definition, cancellationToken,
            Bind.Number("p_after", after));

    public async Task<DefinitionRow> AddDefinitionAsync(DefinitionRow definition, CancellationToken cancellationToken)
    {
        var (name, version) = (Bind.Text("p_name", definition.Name), Bind.Number("p_version", definition.Version));
        await _database.RunAsync(
            Sql.Definitions["add_definition"],
            cancellationToken,
            name,
            version,
            Bind.Text("p_content_hash", definition.ContentHash),
            Bind.Document("p_body", definition.Body),
            Bind.Instant("p_registered_utc", definition.RegisteredUtc)).ConfigureAwait(false);
        return (await _database.ListAsync(
            Sql.Definitions["find_definition"], OracleRows.Definition, cancellationToken, name,
            version).ConfigureAwait(false))[0];
    }

    /// <remarks>Keeps finished instances.</remarks>
    public async Task<bool> TrimAsync(TrimRequest request, CancellationToken cancellationToken)
    {
        var hasMore = await RemoveAsync("trim_events", Bind.Instant("p_before", request.EventsBeforeUtc))
            .ConfigureAwait(false);
        hasMore |= await RemoveAsync("trim_keys", Bind.Instant("p_before", request.KeysBeforeUtc))
            .ConfigureAwait(false);
        hasMore |= await RemoveAsync("trim_replies").ConfigureAwait(false);
        return await RemoveAsync("trim_dead_letters", Bind.Instant("p_before", request.ReplayedBeforeUtc))
            .ConfigureAwait(false) || hasMore;

        async Task<bool> RemoveAsync(string statement, params Bind[] before)
        {
            var values = await _database.RunAsync(
                Sql.Retention[statement], cancellationToken,
                [.. before, Bind.Number("p_limit", request.Limit), Bind.OutNumber("p_removed")]).ConfigureAwait(false);
            return values.Number("p_removed") >= request.Limit;
        }
    }

    // Pooled connections are the driver's; lanes are closed by who opened them.
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private async Task<ListCount> CountAsync(
        string sql, bool newestFirst, int most, CancellationToken cancellationToken, Bind[] binds)
    {
        var (matching, examined, last) = (await _database.PageAsync(
            Sql.Ordered(sql, newestFirst),
            r => (r.GetInt32(0), r.GetInt32(1), OracleRows.OptionalId(r, newestFirst ? 2 : 3)),
            cancellationToken,
            binds).ConfigureAwait(false))[0];
        return new(matching, examined, examined == most ? last : null);
    }

    private static Bind[] Binds(InstanceQuery query) =>
    [
        Bind.Text("p_definition", query.Definition),
        Bind.Text("p_definition_prefix", query.DefinitionPrefix),
        Bind.Number("p_state", (int?)query.State),
        Bind.Text("p_correlation_key", query.CorrelationKey),
        Bind.Text("p_key_prefix", query.CorrelationKeyPrefix),
        Bind.Id("p_after", query.After),
        Bind.Id("p_before", query.Before),
        Bind.Number("p_limit", query.Limit),
    ];

    private static Bind[] Binds(TaskQuery query) =>
    [
        Bind.Text("p_assignee", query.Assignee),
        Bind.Text("p_group_name", query.Group),
        Bind.Number("p_state", (int?)query.State),
        Bind.Id("p_after", query.After),
        Bind.Id("p_before", query.Before),
        Bind.Number("p_limit", query.Limit),
    ];

    private static Bind[] Binds(DeadLetterQuery query) =>
    [
        Bind.Number("p_replayed", query.Replayed ? 1 : 0),
        Bind.Number("p_kind", (int?)query.Kind),
        Bind.Id("p_instance_id", query.InstanceId),
        Bind.Id("p_after", query.After),
        Bind.Id("p_before", query.Before),
        Bind.Number("p_limit", query.Limit),
    ];

    private async Task<T?> FirstAsync<T>(
        string sql, Func<DbDataReader, T> read, CancellationToken cancellationToken, Bind id)
        where T : class =>
        (await _database.ListAsync(sql, read, cancellationToken, id).ConfigureAwait(false)).FirstOrDefault();

    private async Task CheckServerAsync(OracleSession session, CancellationToken cancellationToken)
    {
        var (version, characters) = (await session.ListAsync(
            Sql.Schema["read_server"], r => (OracleRows.Text(r, 0) ?? "", OracleRows.Text(r, 1) ?? ""),
            OracleDatabase.Limit,
            cancellationToken).ConfigureAwait(false))[0];
        if (!int.TryParse(version.Split('.')[0], out var major) || major < OldestMajorVersion)
        {
            throw new StoreUnavailableException(
                $"{Description}: the server has version '{version}'; the statements need {OldestMajorVersion} or newer "
                    + "(JSON_TABLE with CLOB columns). Use a newer server.", outcomeUnknown: false);
        }

        if (characters is not ("AL32UTF8" or "UTF8"))
        {
            throw new StoreUnavailableException(
                $"{Description}: the database has the character set '{characters}', which cannot hold every text. Use "
                    + "one with AL32UTF8.",
                outcomeUnknown: false);
        }
    }
}
