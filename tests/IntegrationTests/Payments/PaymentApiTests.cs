using System.Net.Http.Json;
using Payments.Contracts;

namespace IntegrationTests.Payments;

/// <summary>The API as bytes on the wire, and the events that follow.</summary>
[Trait("Category", "Integration")]
public sealed class PaymentApiTests : IAsyncLifetime
{
    private PaymentHost _host = null!;

    public async ValueTask InitializeAsync() => _host = await PaymentHost.StartAsync();

    [Fact]
    public async Task Payment_ends_completed_with_a_receipt()
    {
        using var answer = await PostAsync("""{ "amount": 100000, "currency": "GBP" }""");
        var id = (await answer.Content.ReadFromJsonAsync<CreatePaymentResponse>(Cancel))!.PaymentId;
        await _host.EventAsync<PaymentCompleted>(id);
        await _host.QuietAsync();

        Assert.Equal(
            (HttpStatusCode.Created, $"/api/payment/{id}"), (answer.StatusCode, answer.Headers.Location?.ToString()));
        var payment = await _host.Http.GetFromJsonAsync<PaymentResponse>($"/api/payment/{id}", Cancel);
        Assert.Equal(
            (id, 100_000L, "GBP", PaymentStatus.Completed),
            (payment!.PaymentId, payment.Amount, payment.Currency, payment.Status));
        Assert.NotNull(payment.ReceiptId);
        Assert.InRange(payment.ChangedUtc, payment.CreatedUtc, DateTimeOffset.MaxValue);
    }

    [Fact]
    public async Task Each_stage_publishes_one_event_with_ordered_timestamps()
    {
        var id = await CreateAsync(key: "order-7");
        await _host.EventAsync<PaymentCompleted>(id);
        await _host.QuietAsync();

        var published = _host.Events.OrderBy(e => e.Stamps.CommittedTicks).ToArray();
        Assert.Equal(["PaymentInitiated", "PaymentCreated", "PaymentSettled", "PaymentCompleted"],
            published.Select(e => e.GetType().Name));
        Assert.All(published, e =>
            Assert.Equal(
                ($"pay:{id}", "order-7", 100_000L, "GBP"), (e.AggregateId, e.CorrelationKey, e.Amount, e.Currency)));
        var ticks = published.Select(e => e.Stamps)
            .SelectMany(s => new[] { s.AcceptedTicks, s.ExecutedTicks, s.CommittedTicks }).ToArray();
        Assert.DoesNotContain(null, ticks);
        Assert.Equal(ticks.Order(), ticks);
        Assert.NotEmpty(Assert.Single(published.Select(e => e.Stamps.BootId).Distinct()));
    }

    [Theory]
    [InlineData("""{ "amount": 0, "currency": "GBP" }""", "amount-invalid", "The amount is 0.")]
    [InlineData("""{ "amount": -5, "currency": "GBP" }""", "amount-invalid", "The amount is -5.")]
    [InlineData("""{ "amount": 1.5, "currency": "GBP" }""", "amount-invalid", "The amount is 1.5.")]
    [InlineData("""{ "amount": 1000000000001, "currency": "GBP" }""", "amount-invalid", "1000000000001")]
    [InlineData("""{ "amount": 1e300, "currency": "GBP" }""", "amount-invalid", "1e300")]
    [InlineData("""{ "amount": "100", "currency": "GBP" }""", "amount-invalid", "\"100\"")]
    [InlineData("""{ "currency": "GBP" }""", "amount-invalid", "The amount is missing.")]
    [InlineData("""{ "amount": [1], "currency": "GBP" }""", "amount-invalid", "The amount is an array.")]
    [InlineData("""{ "amount": 1, "currency": "gbp" }""", "currency-invalid", "\"gbp\". Known: EUR, GBP, USD")]
    [InlineData("""{ "amount": 1, "currency": "\ud800" }""", "body-invalid", "surrogate")]
    [InlineData("""{ "amount": 1 }""", "currency-invalid", "The currency is missing.")]
    [InlineData("""{ "amount": 1, "currency": null }""", "currency-invalid", "The currency is null.")]
    [InlineData("""{ "amount": 1, "currency": "GBP", "reference": 1 }""", "body-invalid", "'reference'")]
    [InlineData(
        """{ "amount": 1, "amount": 100000000, "currency": "GBP" }""", "body-invalid", "'amount' more than once")]
    [InlineData(
        """{ "amount": 1, "currency": "GBP", "c\u0075rrency": "EUR" }""", "body-invalid", "'currency' more than once")]
    [InlineData("[]", "body-invalid", "not an object")]
    [InlineData("{", "body-not-json", "not JSON")]
    [InlineData("", "body-not-json", "not JSON")]
    public async Task Invalid_payment_is_refused_by_the_wrong_value(string body, string code, string named)
    {
        using var answer = await PostAsync(body);

        await IsProblemAsync(answer, HttpStatusCode.BadRequest, code, named);
        Assert.Equal(0, (await _host.Store.CountAsync(Cancel)).All);
    }

    [Theory]
    [InlineData(""), InlineData("a b"), InlineData("129")]
    public async Task Key_that_cannot_be_published_or_stored_is_refused(string key)
    {
        key = key == "129" ? new string('k', 129) : key;
        using var correlation = await PostAsync("""{ "amount": 1, "currency": "GBP" }""", key);
        using var once = await PostAsync("""{ "amount": 1, "currency": "GBP" }""", once: key);

        await IsProblemAsync(correlation, HttpStatusCode.BadRequest, "header-invalid", PaymentHeaders.CorrelationKey);
        await IsProblemAsync(once, HttpStatusCode.BadRequest, "header-invalid", PaymentHeaders.IdempotencyKey);
        Assert.Equal(0, (await _host.Store.CountAsync(Cancel)).All);
    }

    [Fact]
    public async Task Creation_repeated_with_its_key_makes_one_payment()
    {
        using var first = await PostAsync("""{ "amount": 100, "currency": "GBP" }""", once: "k");
        using var again = await PostAsync("""{ "currency": "GBP", "amount": 100 }""", once: "k");
        using var other = await PostAsync("""{ "amount": 100, "currency": "GBP" }""", once: "l");
        await _host.QuietAsync();

        Assert.Equal((HttpStatusCode.Created, HttpStatusCode.Created), (first.StatusCode, again.StatusCode));
        Assert.Equal(
            (first.Headers.Location, await first.Content.ReadAsStringAsync(Cancel)),
            (again.Headers.Location, await again.Content.ReadAsStringAsync(Cancel)));
        Assert.NotEqual(first.Headers.Location, other.Headers.Location);
        Assert.Equal(
            (2, 2), ((await _host.Store.CountAsync(Cancel)).All, _host.Events.OfType<PaymentInitiated>().Count()));
    }

    [Theory]
    [InlineData("""{ "amount": 101, "currency": "GBP" }""", "now with 101 GBP")]
    [InlineData("""{ "amount": 100, "currency": "EUR" }""", "now with 100 EUR")]
    public async Task Key_of_another_payment_is_refused_with_both(string body, string named)
    {
        using var first = await PostAsync("""{ "amount": 100, "currency": "GBP" }""", once: "k");
        using var other = await PostAsync(body, once: "k");
        await _host.QuietAsync();

        await IsProblemAsync(
            other, HttpStatusCode.Conflict, "idempotency-conflict", "came before with 100 GBP, and " + named);
        Assert.Equal(1, (await _host.Store.CountAsync(Cancel)).All);
    }

    [Fact]
    public async Task Body_that_is_not_json_by_its_type_or_too_large_is_refused()
    {
        using var text = await _host.Http
            .PostAsync("/api/payment/create", new StringContent("{}", Encoding.UTF8, "text/plain"), Cancel);
        using var large = await PostAsync("{ \"amount\": 1, \"currency\": \"" + new string('x', 20_000) + "\" }");

        await IsProblemAsync(text, HttpStatusCode.UnsupportedMediaType, "unsupported-media-type", "text/plain");
        await IsProblemAsync(large, HttpStatusCode.RequestEntityTooLarge, "request-invalid", "");
    }

    [Fact]
    public async Task Unknown_payment_and_malformed_id_differ()
    {
        var id = Guid.CreateVersion7();
        using var missing = await _host.Http.GetAsync($"/api/payment/{id}", Cancel);
        using var malformed = await _host.Http.GetAsync("/api/payment/pay-1", Cancel);

        await IsProblemAsync(missing, HttpStatusCode.NotFound, "payment-not-found", $"{id}");
        await IsProblemAsync(malformed, HttpStatusCode.BadRequest, "malformed-id", "'pay-1'");
    }

    [Fact]
    public async Task Integral_of_payments_in_flight_is_the_residence_time()
    {
        var before = await MetricsAsync();
        var started = Stopwatch.GetTimestamp();
        await _host.EventAsync<PaymentCompleted>(await CreateAsync(key: "k"));
        await _host.QuietAsync();
        var after = await MetricsAsync();

        Assert.Equal((0, 0, 0), (before.Count, before.Seconds, after.Count));
        Assert.InRange(after.Seconds, double.Epsilon, Stopwatch.GetElapsedTime(started).TotalSeconds);
    }

    [Fact]
    public async Task Service_is_ready_once_it_listens()
    {
        using var answer = await _host.Http.GetAsync("/health/ready", Cancel);

        Assert.Equal(HttpStatusCode.NoContent, answer.StatusCode);
    }

    public async ValueTask DisposeAsync() => await _host.DisposeAsync();

    private async Task<(double Count, double Seconds)> MetricsAsync()
    {
        var lines = (await _host.Http.GetStringAsync("/metrics", Cancel)).Split('\n');
        return (Value("payments_in_flight "), Value("payments_in_flight_seconds_total "));

        double Value(string name) =>
            double.Parse(
                Assert.Single(lines, line => line.StartsWith(name, StringComparison.Ordinal))[name.Length..],
                CultureInfo.InvariantCulture);
    }

    private async Task<Guid> CreateAsync(string key)
    {
        using var answer = await PostAsync("""{ "amount": 100000, "currency": "GBP" }""", key);
        return (await answer.Content.ReadFromJsonAsync<CreatePaymentResponse>(Cancel))!.PaymentId;
    }

    private async Task<HttpResponseMessage> PostAsync(string body, string? key = null, string? once = null)
    {
        using var content = new StringContent(body, Encoding.UTF8, "application/json");
        using var request = new HttpRequestMessage(HttpMethod.Post, "/api/payment/create") { Content = content };
        foreach (var (header, value) in new[]
            { (PaymentHeaders.CorrelationKey, key), (PaymentHeaders.IdempotencyKey, once) })
        {
            Assert.True(value is null || request.Headers.TryAddWithoutValidation(header, value));
        }

        return await _host.Http.SendAsync(request, Cancel);
    }

    private static async Task IsProblemAsync(
        HttpResponseMessage answer, HttpStatusCode status, string code, string named)
    {
        var text = await answer.Content.ReadAsStringAsync(Cancel);
        Assert.True(answer.StatusCode == status, $"Expected {status} {code}, got {answer.StatusCode}: {text}");
        Assert.Equal("application/problem+json", answer.Content.Headers.ContentType?.MediaType);
        using var problem = JsonDocument.Parse(text);
        Assert.Equal($"urn:payments:{code}", problem.RootElement.GetProperty("type").GetString());
        Assert.Contains(named, problem.RootElement.GetProperty("detail").GetString(), StringComparison.Ordinal);
    }
}
