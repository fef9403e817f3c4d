using Npgsql;
using NpgsqlTypes;

namespace Payments.Service.Stores.PostgreSql;

/// <summary>
/// Payments in a PostgreSQL schema; each change is one statement and one commit. Several services may share the schema.
/// </summary>
internal sealed class PostgresPaymentStore : IPaymentStore
{
    private static readonly SqlFile Statements = SqlFile.Of(typeof(PostgresPaymentStore).Assembly, "payments");
    private readonly string _schema;
    private readonly string _target;
    private readonly NpgsqlDataSource _source;

    /// <param name="connectionString">
    /// Npgsql connection string; its search path and prepared statements are the store's own.
    /// </param>
    /// <param name="schema">Holds the tables; made when missing.</param>
    /// <param name="connections">Open at most.</param>
    public PostgresPaymentStore(string connectionString, string schema, int connections)
    {
        var builder = new NpgsqlConnectionStringBuilder(connectionString)
        {
            SearchPath = schema,
            MaxPoolSize = connections,
            MinPoolSize = 0,
            MaxAutoPrepare = 16,
            AutoPrepareMinUsages = 1,

            // No session keeps anything of its user; the reset would be seven more statements for each one of ours.
            NoResetOnClose = true,
        };
        builder.ApplicationName ??= "payments";
        _schema = schema;
        _target =
            $"PostgreSQL at {builder.Host}:{builder.Port}, database '{builder.Database}', user '{builder.Username}'";
        _source = NpgsqlDataSource.Create(builder);
    }

    public Task PrepareAsync(CancellationToken cancellationToken) => GuardAsync(async () =>
    {
        try
        {
            await using var connection = await _source.OpenConnectionAsync(cancellationToken);
            await PostgresPaymentSchema.ApplyAsync(connection, _schema, cancellationToken);
            return 0;
        }
        catch (PostgresException e) when (!e.IsTransient)
        {
            throw new StoreUnavailableException(
                $"{_target} refuses ({e.SqlState}): {e.MessageText}. Check Database, Username and Password, and that "
                    + $"the user may create the schema '{_schema}'.",
                e);
        }
    });

    public Task AddAsync(Payment payment, CancellationToken cancellationToken) => ExecuteAsync(
        Statements["add_payment"],
        [payment.Id, payment.Amount, payment.Currency, payment.CorrelationKey, payment.CreatedUtc],
        cancellationToken);

    public async Task<Payment> AddOnceAsync(Payment payment, string idempotencyKey, CancellationToken cancellationToken)
    {
        var added = await ExecuteAsync(
            Statements["add_payment_once"],
            [payment.Id, payment.Amount, payment.Currency, payment.CorrelationKey, payment.CreatedUtc, idempotencyKey],
            cancellationToken);
        return added == 1
            ? payment
            : (await FirstAsync(Statements["find_payment_by_key"], [idempotencyKey], cancellationToken))!;
    }

    public Task<Payment?> FindAsync(Guid id, CancellationToken cancellationToken) =>
        FirstAsync(Statements["find_payment"], [id], cancellationToken);

    public Task<Payment?> AdvanceAsync(
        Guid id, PaymentStatus to, DateTimeOffset nowUtc, CancellationToken cancellationToken) =>
        FirstAsync(Statements["advance_payment"], [id, (short)to, nowUtc], cancellationToken);

    public async Task<bool> IssueReceiptAsync(
        Guid id, Guid receiptId, DateTimeOffset nowUtc, CancellationToken cancellationToken) =>
        await ExecuteAsync(Statements["issue_receipt"], [id, receiptId, nowUtc], cancellationToken) == 1;

    public Task<IReadOnlyList<Payment>> TakeOverdueAsync(
        DateTimeOffset publishedBefore, DateTimeOffset nowUtc, int limit, CancellationToken cancellationToken) =>
        ReadAsync(Statements["take_overdue"], [publishedBefore, nowUtc, limit], cancellationToken);

    public Task<PaymentCounts> CountAsync(CancellationToken cancellationToken) => GuardAsync(async () =>
    {
        await using var command = Command(Statements["count_payments"], []);
        await using var reader = await command.ExecuteReaderAsync(cancellationToken);
        await reader.ReadAsync(cancellationToken);
        return new PaymentCounts(reader.GetInt64(0), reader.GetInt64(1), reader.GetInt64(2));
    });

    public ValueTask DisposeAsync() => _source.DisposeAsync();

    private Task<int> ExecuteAsync(string sql, object?[] values, CancellationToken cancellationToken) =>
        GuardAsync(async () =>
        {
            await using var command = Command(sql, values);
            return await command.ExecuteNonQueryAsync(cancellationToken);
        });

    private async Task<Payment?> FirstAsync(string sql, object?[] values, CancellationToken cancellationToken) =>
        (await ReadAsync(sql, values, cancellationToken)).SingleOrDefault();

    private Task<IReadOnlyList<Payment>> ReadAsync(
        string sql, object?[] values, CancellationToken cancellationToken) => GuardAsync(async () =>
    {
        await using var command = Command(sql, values);
        await using var reader = await command.ExecuteReaderAsync(cancellationToken);
        var payments = new List<Payment>();
        while (await reader.ReadAsync(cancellationToken))
        {
            payments.Add(ReadPayment(reader));
        }

        return (IReadOnlyList<Payment>)payments;
    });

    private NpgsqlCommand Command(string sql, object?[] values)
    {
        var command = _source.CreateCommand(sql);
        foreach (var value in values)
        {
            command.Parameters.Add(value is null
                ? new NpgsqlParameter { Value = DBNull.Value, NpgsqlDbType = NpgsqlDbType.Text }
                : new NpgsqlParameter { Value = value });
        }

        return command;
    }

    private static Payment ReadPayment(NpgsqlDataReader reader) => new()
    {
        Id = reader.GetGuid(0),
        Amount = reader.GetInt64(1),
        Currency = reader.GetString(2),
        CorrelationKey = reader.IsDBNull(3) ? null : reader.GetString(3),
        Status = (PaymentStatus)reader.GetInt16(4),
        ReceiptId = reader.IsDBNull(5) ? null : reader.GetGuid(5),
        CreatedUtc = reader.GetFieldValue<DateTimeOffset>(6),
        ChangedUtc = reader.GetFieldValue<DateTimeOffset>(7),
        PublishedUtc = reader.GetFieldValue<DateTimeOffset>(8),
    };

    /// <summary>
    /// Errors that the server raises itself, e.g. for a constraint, are not translated: they are faults of this
    /// program.
    /// </summary>
    private async Task<T> GuardAsync<T>(Func<Task<T>> run)
    {
        try
        {
            return await run();
        }
        catch (Exception e) when (e is NpgsqlException and not PostgresException or TimeoutException
            || e is PostgresException { IsTransient: true })
        {
            throw new StoreUnavailableException(
                $"{_target} does not answer: {e.Message} Check that the server runs and has connections left.", e);
        }
    }
}
