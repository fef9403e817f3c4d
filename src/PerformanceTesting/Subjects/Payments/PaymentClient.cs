using System.Net;
using System.Net.Http.Json;
using Payments.Contracts;

namespace PerformanceTesting.Subjects.Payments;

/// <summary>The service's API; counts the requests it sends.</summary>
internal sealed class PaymentClient(Uri address) : IDisposable
{
    private readonly HttpClient _http = new() { BaseAddress = address };
    private long _requests;

    /// <summary>Requests sent so far.</summary>
    public long Requests => Interlocked.Read(ref _requests);

    /// <summary>Sends what creates a payment in its own way; null for the plain client.</summary>
    public ILoadEngine? Engine { get; set; }

    public async Task<PaymentAnswer> CreateAsync(
        long amount, string currency, string? correlationKey, CancellationToken cancellationToken)
    {
        using var body = JsonContent.Create(new CreatePaymentRequest(amount, currency));
        using var message = new HttpRequestMessage(HttpMethod.Post, "api/payment/create") { Content = body };
        if (correlationKey is not null)
        {
            message.Headers.Add(PaymentHeaders.CorrelationKey, correlationKey);
        }

        Interlocked.Increment(ref _requests);
        using var answer =
            await (Engine?.SendAsync(_http, message, cancellationToken) ?? _http.SendAsync(message, cancellationToken));
        if (answer.StatusCode == HttpStatusCode.Created)
        {
            var created = await answer.Content.ReadFromJsonAsync<CreatePaymentResponse>(cancellationToken);
            return new((int)answer.StatusCode, created!.PaymentId, "");
        }

        var problem = await answer.Content.ReadFromJsonAsync<JsonElement>(cancellationToken);
        return new((int)answer.StatusCode, null, problem.GetProperty("detail").GetString() ?? "");
    }

    public async Task<PaymentResponse> FindAsync(Guid id, CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _requests);
        return await _http.GetFromJsonAsync<PaymentResponse>($"api/payment/{id}", cancellationToken)
            ?? throw new InvalidOperationException($"The status of payment {id} is null.");
    }

    public void Dispose() => _http.Dispose();
}
