namespace Workflow.Stores.Oracle;

/// <summary>
/// What an error of a flush means to the engine. Numbers from 20000 on are raised by the statements in <c>Sql/</c>.
/// </summary>
internal static class OracleErrors
{
    public const int NotLeased = 20004;

    public static FlushException ToFlushException(Exception error) =>
        Kind(error) is var kind && kind == FlushFailure.Unavailable
        ? new(kind, $"Oracle does not answer as it should: {DriverErrors.Text(error)}", error)
        : new(kind, DriverErrors.Text(error), error);

    /// <summary>Any other error may be temporary, and is no reason to reject the content.</summary>
    public static FlushFailure Kind(Exception error) => DriverErrors.Code(error) switch
    {
        20001 => FlushFailure.Fenced,
        1 when DriverErrors.Text(error).Contains("IDEMPOTENCY_KEYS_KEY", StringComparison.OrdinalIgnoreCase) =>
            FlushFailure.Conflict,
        // A deadlock; a transaction that could not be serialised.
        60 or 8177 => FlushFailure.Conflict,
        20002 or 1 => FlushFailure.Stale,
        20003 => FlushFailure.Rejected,
        _ => DriverErrors.IsRefusal(error) ? FlushFailure.Rejected : FlushFailure.Unavailable,
    };
}
