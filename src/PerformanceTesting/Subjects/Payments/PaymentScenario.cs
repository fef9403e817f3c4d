using LoadTesting.Core.Load.Events;

namespace PerformanceTesting.Subjects.Payments;

/// <summary>
/// A scenario of the payment service: its question, load and pass rule. Rates and durations of the published scenarios never change.
/// </summary>
internal abstract class PaymentScenario(PaymentVariant variant)
{
    public const long Amount = 100_000;
    public const string Currency = "GBP";

    public PaymentVariant Variant => variant;

    /// <summary>What it answers.</summary>
    public abstract string Question { get; }

    /// <summary>Steps that must have a sample for every operation.</summary>
    public abstract IReadOnlyList<string> Steps { get; }

    /// <summary>Events that an operation waits for, by correlation key.</summary>
    public virtual IReadOnlyList<string> Awaited => [];

    /// <summary>Whether every operation makes a payment.</summary>
    public virtual bool CreatesPayments => true;

    /// <summary>Whether an operation lasts from the request to PaymentCompleted: as long as the service's own gauge counts it.</summary>
    public virtual bool EndsWithPaymentCompleted => false;

    /// <summary>What the consumer of PaymentSettled takes on top, at least and at most. Default: nothing.</summary>
    public (TimeSpan Min, TimeSpan Max) SettledDelay { get; init; }

    /// <summary>How long an event may take to come; then it is lost. Default 30 s, and the delay.</summary>
    public TimeSpan EventTimeout => TimeSpan.FromSeconds(30) + SettledDelay.Max;

    /// <summary>What a reader of the result should know about the load.</summary>
    public virtual IReadOnlyList<string> Remarks => [];

    /// <summary>One operation.</summary>
    public abstract Task<IResponse> RunAsync(IScenarioContext context, PaymentOperations payments);

    /// <summary>
    /// Creates a payment as a step of its own; fails unless it is answered with 201. Where it was refused, no event is to come: the waits
    /// are withdrawn.
    /// </summary>
    protected static async Task<Response<Guid>> CreateAsync(
        IScenarioContext context, PaymentOperations payments, Operation operation, string? correlationKey, params EventWait[] waits)
    {
        try
        {
            return await Step.Run(PaymentStepNames.Create, context, async () =>
            {
                var answer = await payments.Batch.SendAsync(
                    operation,
                    () => payments.Client.CreateAsync(Amount, Currency, correlationKey, context.ScenarioCancellationToken),
                    isAccepted: a => a.PaymentId is not null);
                return answer.PaymentId is { } id
                    ? Response.Ok(id, $"{answer.Status}")
                    : Response.Fail<Guid>($"{answer.Status}", answer.Detail);
            });
        }
        catch (StepFailedException e) when (e.Response.StatusCode.StartsWith('4'))
        {
            Array.ForEach(waits, wait => wait.Withdraw());
            throw;
        }
    }

    /// <summary>What an event that did not come makes of its operation.</summary>
    protected IResponse Lost(string name, string key) =>
        Response.Fail("lost", $"No {name} for {key} within {EventTimeout.TotalSeconds:0} s.");
}

/// <summary>The means of one iteration: the batch that accounts for its operation, and a client of the service.</summary>
/// <param name="Batch">Begins, sends and completes the operation.</param>
/// <param name="Client">The service's API.</param>
internal sealed record PaymentOperations(OperationBatch Batch, PaymentClient Client)
{
    /// <summary>Begins an operation whose latency counts from the iteration's intended start.</summary>
    public Operation Begin(IScenarioContext context) => Batch.Begin(context.IntendedTimestamp);
}

/// <summary>One size of a payment scenario.</summary>
/// <param name="Name">Name without the profile.</param>
/// <param name="Tier">The tier it runs in.</param>
/// <param name="Rate">Operations that begin in every <paramref name="Interval"/>, whether or not earlier ones have ended.</param>
/// <param name="Interval">The time that the rate refers to.</param>
/// <param name="During">How long operations begin; a whole number of intervals.</param>
public sealed record PaymentVariant(string Name, string Tier, int Rate, TimeSpan Interval, TimeSpan During)
{
    /// <summary>Operations that warm up and are not counted. Default 32.</summary>
    public int WarmUpOperations { get; init; } = 32;

    public int Operations => (int)(Rate * During.Ticks / Interval.Ticks);

    /// <summary>So many at a time, the next begins when one has ended; null, the default, where they begin at the rate.</summary>
    public int? Copies { get; init; }

    internal LoadSimulation Load => Copies is { } copies
        ? Simulation.IterationsForConstant(copies, Operations)
        : Simulation.Inject(Rate, Interval, During);

    /// <summary>The small form, for correctness: so many within half a second, evenly.</summary>
    public static PaymentVariant Small(string name, int operations) =>
        new(name, TierNames.Smoke, operations, TimeSpan.FromSeconds(0.5), TimeSpan.FromSeconds(0.5));

    /// <summary>So many a second for so many seconds.</summary>
    public static PaymentVariant PerSecond(string name, string tier, int rate, int seconds) =>
        new(name, tier, rate, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(seconds));

    /// <summary>So many in all, so many at a time.</summary>
    public static PaymentVariant AtATime(string name, string tier, int copies, int operations) =>
        PerSecond(name, tier, operations, seconds: 1) with { Copies = copies };
}

/// <summary>The steps of the payment scenarios. Those of the journey follow one another: together they are the journey.</summary>
internal static class PaymentStepNames
{
    /// <summary>The creating request leaves to its 201 is here; it overlaps <see cref="Initiated"/>.</summary>
    public const string Create = "create_payment_request";

    /// <summary>
    /// The creating request leaves to PaymentInitiated. Not from the answer: a fast service's event may come before that.
    /// </summary>
    public const string Initiated = "payment_initiated";

    /// <summary>PaymentInitiated to PaymentCreated.</summary>
    public const string Created = "payment_created";

    /// <summary>PaymentCreated to PaymentSettled.</summary>
    public const string Settled = "payment_settled";

    /// <summary>PaymentSettled to PaymentCompleted.</summary>
    public const string Completed = "payment_completed";

    /// <summary>A request with an invalid amount leaves to its 400 is here.</summary>
    public const string Reject = "reject_invalid_payment";

    /// <summary>The 201 to the first status answer that says completed.</summary>
    public const string Poll = "poll_until_completed";

    /// <summary>PaymentCompleted to the status answer that says so: what polling adds.</summary>
    public const string SeenLate = "completed_to_seen";
}
