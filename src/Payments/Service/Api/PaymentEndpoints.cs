using System.Diagnostics;

namespace Payments.Service.Api;

internal sealed class PaymentEndpoints(
    IPaymentStore store, IBus bus, EventPublisher publisher, InFlightGauge inFlight, PaymentSettings settings,
    TimeProvider timeProvider)
{
    private const int LongestKey = 128;
    private static readonly string[] KeyHeaders = [PaymentHeaders.CorrelationKey, PaymentHeaders.IdempotencyKey];

    public void Map(IEndpointRouteBuilder routes)
    {
        routes.MapPost("/api/payment/create", CreateAsync);
        routes.MapGet("/api/payment/{id}", FindAsync);
    }

    private async Task<IResult> CreateAsync(HttpRequest http)
    {
        var acceptedTicks = Stopwatch.GetTimestamp();
        if (!http.HasJsonContentType())
        {
            return PaymentProblem.Of(
                415, "unsupported-media-type",
                $"The Content-Type is '{http.ContentType}'. Send the header Content-Type: application/json.");
        }

        foreach (var header in KeyHeaders)
        {
            string? key = http.Headers[header];
            if (key is not null && (key.Length is 0 or > LongestKey || !key.All(c => c is > ' ' and <= '~')))
            {
                return PaymentProblem.Of(
                    400,
                    "header-invalid",
                    $"The header {header} has {key.Length} characters, of which 1 to {LongestKey} are allowed, or some "
                        + "that are not visible ASCII.");
            }
        }

        try
        {
            using var body = await JsonDocument.ParseAsync(http.Body,
                cancellationToken: http.HttpContext.RequestAborted);
            var (request, code, detail) = CreatePaymentBody.Read(body.RootElement, settings);
            return request is null
                ? PaymentProblem.Of(400, code, detail)
                : await StoreAsync(request, http.Headers, acceptedTicks, http.HttpContext.RequestAborted);
        }
        catch (JsonException e)
        {
            return PaymentProblem.Of(400, "body-not-json", $"The body is not JSON that can be read: {e.Message}");
        }
    }

    /// <summary>Stores the payment, publishes its event, and then answers.</summary>
    private async Task<IResult> StoreAsync(
        CreatePaymentRequest request, IHeaderDictionary headers, long acceptedTicks,
        CancellationToken cancellationToken)
    {
        var now = timeProvider.GetUtcNow();
        var payment = new Payment
        {
            Id = Guid.CreateVersion7(now),
            Amount = request.Amount,
            Currency = request.Currency,
            CorrelationKey = headers[PaymentHeaders.CorrelationKey],
            CreatedUtc = now,
            ChangedUtc = now,
            PublishedUtc = now,
        };
        var executedTicks = Stopwatch.GetTimestamp();
        var stored = await AddAsync(payment, headers[PaymentHeaders.IdempotencyKey], cancellationToken);
        if ((stored.Amount, stored.Currency) != (payment.Amount, payment.Currency))
        {
            return PaymentProblem.Of(
                409, "idempotency-conflict",
                $"The header {PaymentHeaders.IdempotencyKey} came before with {stored.Amount} {stored.Currency}, and "
                    + $"now with {payment.Amount} {payment.Currency}. Send another key with another payment.");
        }

        if (stored.Id == payment.Id)
        {
            // The payment exists, so its event is published even if the client has disconnected.
            await publisher.PublishAsync(
                bus, PaymentEvents.Of(payment, acceptedTicks, executedTicks, Stopwatch.GetTimestamp()),
                CancellationToken.None);
        }

        return TypedResults.Created($"/api/payment/{stored.Id}", new CreatePaymentResponse(stored.Id));
    }

    /// <summary>Adds a payment. Returns the stored payment if the client repeats a creation.</summary>
    private async Task<Payment> AddAsync(Payment payment, string? idempotencyKey, CancellationToken cancellationToken)
    {
        Payment? stored = null;
        inFlight.Enter(payment.Id);
        try
        {
            if (idempotencyKey is null)
            {
                await store.AddAsync(payment, cancellationToken);
                return stored = payment;
            }

            return stored = await store.AddOnceAsync(payment, idempotencyKey, cancellationToken);
        }
        finally
        {
            if (stored?.Id != payment.Id)
            {
                inFlight.Leave(payment.Id);
            }
        }
    }

    private async Task<IResult> FindAsync(string id, CancellationToken cancellationToken)
    {
        if (!Guid.TryParse(id, out var paymentId))
        {
            return PaymentProblem.Of(
                400, "malformed-id",
                $"'{id}' is not a payment's id. Use the one that POST /api/payment/create answered.");
        }

        return await store.FindAsync(paymentId, cancellationToken) is { } payment
            ? TypedResults.Ok(new PaymentResponse(
                payment.Id, payment.Amount, payment.Currency, payment.Status, payment.ReceiptId, payment.CreatedUtc,
                payment.ChangedUtc))
            : PaymentProblem.Of(404, "payment-not-found", $"There is no payment {paymentId}.");
    }
}
