using System.Net.Http.Json;
using Payments.Contracts;
using Payments.Service.Stores;

namespace IntegrationTests.Payments;

/// <summary>The suite on PostgreSQL, and what only survives there.</summary>
[Trait("Category", "Integration")]
public sealed class PostgresPaymentDeliveryTests(PostgresPaymentStores stores)
    : PaymentDeliveryConformance(stores), IClassFixture<PostgresPaymentStores>
{
    [Fact]
    public async Task Killed_service_loses_no_payment()
    {
        const int Payments = 20;
        var settings = await stores.SettingsAsync();
        var ids = new List<Guid>();

        // No payment gets past its settlement here, so everything that its consumers hold is lost with the process.
        await using (var killed = await WebServiceProcess.StartAsync(OptionsOf(settings, settledDelay: "10m"), Cancel))
        {
            using var http = new HttpClient { BaseAddress = killed.BaseAddress };
            for (var i = 0; i < Payments; i++)
            {
                using var answer = await http.PostAsJsonAsync(
                    "/api/payment/create", new CreatePaymentRequest(100_000, "GBP"), Cancel);
                ids.Add((await answer.Content.ReadFromJsonAsync<CreatePaymentResponse>(Cancel))!.PaymentId);
            }

            await killed.KillAsync(Cancel);
        }

        // Its sessions end by themselves, so no other session waits for their locks.
        await using var source = NpgsqlDataSource.Create(settings.ConnectionString!);
        await Eventually.BecomesAsync(
            () => OtherSessionsAsync(source), count => count == 0, count => $"the end of {count} sessions");

        // Nothing is repeated later: what is lost at the start stays lost.
        await using var next = await PaymentHost.StartAsync(settings with { RepeatAfter = TimeSpan.FromHours(1) });
        foreach (var id in ids)
        {
            await next.EventAsync<PaymentCompleted>(id);
        }

        await next.QuietAsync();
        Assert.Equal(new PaymentCounts(Payments, Payments, Payments), await next.Store.CountAsync(Cancel));
        Assert.Equal(ids.Order(), next.Events.OfType<PaymentCompleted>().Select(e => e.PaymentId).Order());
    }

    [Fact]
    public async Task Service_says_in_one_line_why_it_does_not_start()
    {
        var settings = await stores.SettingsAsync();
        var builder = new NpgsqlConnectionStringBuilder(settings.ConnectionString)
        {
            Port = 1, Password = "secret-4711",
        };

        var (unreachable, why) = await WebServiceProcess.RunToExitAsync(
            OptionsOf(settings with { ConnectionString = builder.ConnectionString }, "1s"), Cancel);
        var (misconfigured, wrong) = await WebServiceProcess.RunToExitAsync(
            OptionsOf(settings, settledDelay: "soon"), Cancel);

        Assert.Equal((1, 2), (unreachable, misconfigured));
        Assert.Contains($"PostgreSQL at {builder.Host}:1", why, StringComparison.Ordinal);
        Assert.DoesNotContain("4711", why, StringComparison.Ordinal);
        Assert.Contains("Consumers:PaymentSettled:MinDelay is 'soon'", wrong, StringComparison.Ordinal);
    }

    private static async Task<long> OtherSessionsAsync(NpgsqlDataSource source)
    {
        await using var command = source.CreateCommand(
            "select count(*) from pg_stat_activity "
            + "where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()");
        return (long)(await command.ExecuteScalarAsync(Cancel))!;
    }

    private static WebServiceOptions OptionsOf(PaymentSettings settings, string settledDelay) => new()
    {
        Assembly = "Payments.Service.dll",
        Settings = new Dictionary<string, string>
        {
            ["PaymentStore:Provider"] = "Postgres",
            ["PaymentStore:Schema"] = settings.Schema,
            ["ConnectionStrings:Payments"] = settings.ConnectionString!,
            ["Consumers:PaymentSettled:MinDelay"] = settledDelay,
            ["Recovery:RepeatAfter"] = "60m",
        },
    };
}
