namespace IntegrationTests.Payments;

internal sealed class MemoryPaymentStores : PaymentStores
{
    internal override Task<PaymentSettings> SettingsAsync() => Task.FromResult(new PaymentSettings());
}
