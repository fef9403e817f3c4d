using System.Numerics;
using Npgsql;
using NpgsqlTypes;
using Workflow.Engine.Instances;
using Workflow.Engine.Residency;

namespace Benchmarks;

/// <summary>
/// Dormant instances that are made in bulk, as the engine writes them, and audited at the end. Those to wake are taken
/// from all over the stock, each once.
/// </summary>
internal sealed class DormantStock
{
    private const string StockKey = "stock-";
    private const string TimerKey = "timer-";
    private const string Template = "template";
    private const int Portion = 1_000_000;
    private const string TimerDefinition =
        """
        { "name": "pause", "version": 1, "start": "pause", "steps": {
          "pause": { "type": "delay", "duration": "PT1H", "next": "done" }, "done": { "type": "end" } } }
        """;

    private static readonly TimeSpan Age = TimeSpan.FromDays(10);
    private readonly BenchmarkContext _context;
    private readonly DormantTemplate _waiting;
    private readonly DormantTemplate _timer;
    private readonly long _step;
    private long _taken;
    private int _timers;

    private DormantStock(BenchmarkContext context, DormantTemplate waiting, DormantTemplate timer)
    {
        (_context, _waiting, _timer) = (context, waiting, timer);
        Schema = context.NewSchema();

        // By the golden ratio: whatever is taken is spread evenly, and each is far from the one before.
        _step = (long)(Count * 0.618_033_988);
        while (BigInteger.GreatestCommonDivisor(_step, Count) != 1)
        {
            _step++;
        }
    }

    public string Schema { get; }

    public int Count => _context.Stock;

    /// <summary>Makes the stock in a schema in which nothing else is, and clears up after it.</summary>
    public static async Task<DormantStock> MakeAsync(
        BenchmarkContext context, Rounds rounds, CancellationToken cancellationToken)
    {
        var (waiting, timer) = await MakeTemplatesAsync(context, cancellationToken);
        var stock = new DormantStock(context, waiting, timer);
        await using (await EngineUnderTest.StartAsync(context, [], cancellationToken, schema: stock.Schema))
        {
            // It makes the schema and registers the definition.
        }

        await using var connection = await stock.ConnectAsync(cancellationToken);
        var since = Stopwatch.GetTimestamp();
        var began = TimeProvider.System.GetUtcNow() - Age;
        await Task.Run(() => stock.Copy(connection, waiting, StockKey, stock.Count, began, null), cancellationToken);
        rounds.Add("stock made in bulk, instances/s", stock.Count / Stopwatch.GetElapsedTime(since).TotalSeconds);
        await SettleAsync(connection, cancellationToken);
        rounds.Add("bytes of the database for each instance", (long)(await ScalarAsync(
            connection, """
            select sum(pg_total_relation_size(relid))::bigint from pg_stat_user_tables
             where schemaname = current_schema() and relname like 'dormant%'
            """, cancellationToken))! / (double)stock.Count);
        return stock;
    }

    /// <summary>The key of a dormant instance that was not taken before.</summary>
    /// <exception cref="InvalidOperationException">All were taken.</exception>
    public string Take()
    {
        var number = Interlocked.Increment(ref _taken) - 1;
        return number < Count
            ? KeyOf(StockKey, NumberOf(number))
            : throw new InvalidOperationException($"All of the {Count} dormant instances were woken: there is no rate. "
                + "Make more with --stock=<n>, or measure for less time.");
    }

    /// <summary>The key of the instance that is taken after so many others.</summary>
    public string Peek(long ahead) => KeyOf(StockKey, NumberOf(Interlocked.Read(ref _taken) + ahead));

    /// <summary>How many can still be taken.</summary>
    public long Left => Math.Max(0, Count - Interlocked.Read(ref _taken));

    /// <summary>Adds instances whose timers are due evenly in a span of time. No engine may run.</summary>
    public async Task AddTimersAsync(
        int count, DateTimeOffset from, TimeSpan span, CancellationToken cancellationToken)
    {
        _timers = count;
        await using var connection = await ConnectAsync(cancellationToken);
        await Task.Run(() => Copy(connection, _timer, TimerKey, count, from - Age, (from, span)), cancellationToken);
        await SettleAsync(connection, cancellationToken);
    }

    /// <summary>Registers the definition of the instances that wait for their timer.</summary>
    public static Task RegisterTimerAsync(WebServiceProcess service, CancellationToken cancellationToken) =>
        service.Client.RegisterDefinitionAsync(TimerDefinition, cancellationToken);

    /// <summary>Every instance is there once, in the state that it must have.</summary>
    /// <param name="others">Instances that were started beside the stock.</param>
    /// <exception cref="InvalidOperationException">Something is missing, doubled or in another state.</exception>
    public async Task AuditAsync(long others, CancellationToken cancellationToken)
    {
        await using var connection = await ConnectAsync(cancellationToken);
        await RunAsync(connection, "create temporary table taken (number integer primary key)", cancellationToken);
        await Task.Run(() => CopyTaken(connection), cancellationToken);
        await RunAsync(
            connection,
            $"""
            set work_mem = '256MB';
            create temporary table found as
            select id, substr(correlation_key, {StockKey.Length + 1})::integer as number, state, false as is_timer
              from (select * from live_instances union all select * from finished_instances) as every
             where correlation_key like '{StockKey}%'
            union all
            select id, substr(correlation_key, {TimerKey.Length + 1})::integer, state, true
              from (select * from live_instances union all select * from finished_instances) as every
             where correlation_key like '{TimerKey}%';
            analyze found
            """,
            cancellationToken);
        var taken = Math.Min(_taken, Count);
        foreach (var (what, sql, expected) in new (string What, string Sql, long Expected)[]
        {
            ("instances of the stock", "select count(*) from found where not is_timer", Count),
            ("keys of the stock", "select count(distinct number) from found where not is_timer", Count),
            ("ids of all", "select count(distinct id) from found", Count + _timers),
            ("instances of the stock that wait", "select count(*) from found where not is_timer and state = 1",
                Count - taken),
            ("woken instances that have completed",
                "select count(*) from found join taken using (number) where not is_timer and state = 3", taken),
            ("timers that have fired", "select count(distinct number) from found where is_timer and state = 3",
                _timers),
            ("instances beside the stock",
                $"""
                select (select count(*) from live_instances) + (select count(*) from finished_instances)
                       - (select count(*) from found)
                """, others),
            ("instances that are live and finished",
                "select count(*) from live_instances join finished_instances using (id)", 0),
            ("dormant instances without their wait, and waits without their instance",
                """
                select count(*) from dormant_instances d full join dormant_waits w on w.instance_id = d.id
                 where d.id is null or w.slot is null
                """, 0),
        })
        {
            var counted = (long)(await ScalarAsync(connection, sql, cancellationToken))!;
            if (counted != expected)
            {
                throw new InvalidOperationException(
                    $"The audit counted {counted} {what}; {expected} should be there: the figures mean nothing.");
            }
        }

        Console.WriteLine($"Audit: {Count} instances of the stock are there once, {taken} of them woken and completed; "
            + $"{_timers} timers have fired once; {others} other instances are there.");
    }

    private long NumberOf(long taken) => (long)((Int128)taken * _step % Count);

    private static string KeyOf(string prefix, long number) => string.Create(
        CultureInfo.InvariantCulture, $"{prefix}{number:D8}");

    /// <summary>One instance of each definition waits until the engine makes it dormant.</summary>
    private static async Task<(DormantTemplate Waiting, DormantTemplate Timer)> MakeTemplatesAsync(
        BenchmarkContext context, CancellationToken cancellationToken)
    {
        var schema = context.NewSchema();
        await using var connection = new NpgsqlConnection(context.ConnectionString);
        await connection.OpenAsync(cancellationToken);
        await using (var subject = await EngineUnderTest.StartAsync(
            context, [], cancellationToken, schema: schema, residency: new() { IdleTime = TimeSpan.Zero }))
        {
            await subject.Engine.RegisterDefinitionAsync(Encoding.UTF8.GetBytes(TimerDefinition), cancellationToken);
            await subject.Engine.StartAsync(EngineUnderTest.Start(Template), cancellationToken);
            await subject.Engine.StartAsync(
                new() { Definition = "pause", CorrelationKey = TimerKey }, cancellationToken);
            await subject.AllDormantAsync(cancellationToken);
        }

        return (await DormantTemplate.ReadAsync(connection, schema, Template, cancellationToken),
            await DormantTemplate.ReadAsync(connection, schema, TimerKey, cancellationToken));
    }

    private static async Task<object?> ScalarAsync(
        NpgsqlConnection connection, string sql, CancellationToken cancellationToken)
    {
        await using var command = new NpgsqlCommand(sql, connection) { CommandTimeout = 600 };
        return await command.ExecuteScalarAsync(cancellationToken);
    }

    private static async Task RunAsync(NpgsqlConnection connection, string sql, CancellationToken cancellationToken)
    {
        await using var command = new NpgsqlCommand(sql, connection) { CommandTimeout = 600 };
        await command.ExecuteNonQueryAsync(cancellationToken);
    }

    private async Task<NpgsqlConnection> ConnectAsync(CancellationToken cancellationToken)
    {
        var connection = new NpgsqlConnection(
            new NpgsqlConnectionStringBuilder(_context.ConnectionString) { SearchPath = Schema, Pooling = false }
                .ConnectionString);
        await connection.OpenAsync(cancellationToken);
        return connection;
    }

    /// <summary>
    /// The counts of the lanes no longer hold, so that the next load counts; and the server does at once what it would
    /// do some time later, in the midst of a round.
    /// </summary>
    private static async Task SettleAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        foreach (var statement in new[]
        {
            "update batches b set lanes = null from lane_ends e where b.lane = e.lane and b.number = e.number",
            "vacuum analyze dormant_instances", "vacuum analyze dormant_waits", "checkpoint",
        })
        {
            await RunAsync(connection, statement, cancellationToken);
        }
    }

    private void Copy(
        NpgsqlConnection connection, DormantTemplate template, string prefix, int count, DateTimeOffset began,
        (DateTimeOffset From, TimeSpan Span)? due)
    {
        var waits = new List<(long Slot, Guid Id, Guid Instance)>(Math.Min(count, Portion));
        for (var first = 0; first < count; first += Portion)
        {
            var end = Math.Min(count, first + Portion);
            using (var writer = connection.BeginBinaryImport(
                """
                copy dormant_instances (id, partition, definition, definition_version, revision, state, correlation_key,
                                        body, history, created_utc, updated_utc, next_due_utc)
                from stdin (format binary)
                """))
            {
                for (var number = first; number < end; number++)
                {
                    var key = KeyOf(prefix, number);
                    var created = began + (Age * ((double)number / count));
                    var id = Partitioning.NewInstanceId(Guid.CreateVersion7(created), key);
                    var waitId = Guid.CreateVersion7(created);
                    DateTimeOffset? dueUtc = due is var (from, span) ? from + (span * ((double)number / count)) : null;
                    writer.StartRow();
                    writer.Write(id, NpgsqlDbType.Uuid);
                    writer.Write(Partitioning.OfInstance(id), NpgsqlDbType.Smallint);
                    writer.Write(template.Definition, NpgsqlDbType.Text);
                    writer.Write(template.Version, NpgsqlDbType.Integer);
                    writer.Write(template.Revision, NpgsqlDbType.Bigint);
                    writer.Write(template.State, NpgsqlDbType.Smallint);
                    writer.Write(key, NpgsqlDbType.Text);
                    writer.Write(template.BodyOf(key, waitId, dueUtc), NpgsqlDbType.Text);
                    writer.Write(template.History, NpgsqlDbType.Text);
                    writer.Write(created.UtcDateTime, NpgsqlDbType.TimestampTz);
                    writer.Write(created.UtcDateTime, NpgsqlDbType.TimestampTz);
                    if (dueUtc is { } time)
                    {
                        writer.Write(time.UtcDateTime, NpgsqlDbType.TimestampTz);
                    }
                    else
                    {
                        writer.WriteNull();
                        waits.Add((SignalSlot.Of("resume", key), waitId, id));
                    }
                }

                writer.Complete();
            }

            CopyWaits(connection, waits);
            waits.Clear();
        }
    }

    private static void CopyWaits(NpgsqlConnection connection, List<(long Slot, Guid Id, Guid Instance)> waits)
    {
        // In the order of the key, because the index does not fit into the server's buffers.
        waits.Sort((one, other) => one.Slot.CompareTo(other.Slot));
        using var writer = connection.BeginBinaryImport(
            "copy dormant_waits (slot, wait_id, instance_id) from stdin (format binary)");
        foreach (var (slot, id, instance) in waits)
        {
            writer.StartRow();
            writer.Write(slot, NpgsqlDbType.Bigint);
            writer.Write(id, NpgsqlDbType.Uuid);
            writer.Write(instance, NpgsqlDbType.Uuid);
        }

        writer.Complete();
    }

    private void CopyTaken(NpgsqlConnection connection)
    {
        using var writer = connection.BeginBinaryImport("copy taken (number) from stdin (format binary)");
        for (var number = 0L; number < Math.Min(_taken, Count); number++)
        {
            writer.StartRow();
            writer.Write((int)NumberOf(number), NpgsqlDbType.Integer);
        }

        writer.Complete();
    }
}
