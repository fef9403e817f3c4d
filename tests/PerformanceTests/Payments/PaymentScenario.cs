using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Events;

namespace PerformanceTests.Payments;

/// <summary>A scenario of the payment service: its question, load and pass rule. Rates and durations of the seed's never change.</summary>
internal abstract class PaymentScenario(PaymentForm form)
{
    public const long Amount = 100_000;
    public const string Currency = "GBP";

    public PaymentForm Form => form;

    /// <summary>What it answers.</summary>
    public abstract string Question { get; }

    /// <summary>Steps that must have a sample for every operation.</summary>
    public abstract IReadOnlyList<string> Steps { get; }

    /// <summary>Events that an operation waits for, by correlation key.</summary>
    public virtual IReadOnlyList<string> Awaited => [];

    /// <summary>Whether every operation makes a payment.</summary>
    public virtual bool CreatesPayments => true;

    /// <summary>What the consumer of PaymentSettled takes on top, at least and at most. Default: nothing.</summary>
    public (TimeSpan Min, TimeSpan Max) SettledDelay { get; init; }

    /// <summary>How long an event may take to come; then it is lost. Default 30 s, and the delay.</summary>
    public TimeSpan EventTimeout => TimeSpan.FromSeconds(30) + SettledDelay.Max;

    /// <summary>What a reader of the result should know about the load.</summary>
    public virtual IReadOnlyList<string> Remarks => [];

    /// <summary>One operation.</summary>
    public abstract Task<IResponse> RunAsync(IScenarioContext context, PaymentRun run);

    /// <summary>
    /// Creates a payment as a step of its own; fails unless it is answered with 201. Where it was refused, no event is to come: the waits are given up.
    /// </summary>
    protected static async Task<Response<Guid>> CreateAsync(IScenarioContext context, PaymentRun run, string? correlationKey, params EventWait[] waits)
    {
        try
        {
            return await Step.Run(PaymentStepNames.Create, context, async () =>
            {
                var answer = await run.SendAsync(
                    c => c.CreateAsync(Amount, Currency, correlationKey, context.ScenarioCancellationToken), isExpected: a => a.PaymentId is not null);
                return answer.PaymentId is { } id ? Response.Ok(id, $"{answer.Status}") : Response.Fail<Guid>($"{answer.Status}", answer.Detail);
            });
        }
        catch (StepFailedException e) when (e.Response.StatusCode.StartsWith('4'))
        {
            Array.ForEach(waits, wait => wait.Withdraw());
            throw;
        }
    }

    /// <summary>What an event that did not come makes of its operation.</summary>
    protected IResponse Lost(string name, string key) => Response.Fail("lost", $"No {name} for {key} within {EventTimeout.TotalSeconds:0} s.");
}
