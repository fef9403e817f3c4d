using Payments.Service.Configuration;
using Payments.Service.Hosting;
using Payments.Service.Stores;

namespace IntegrationTests.Payments;

/// <summary>Empty stores of a kind; a handle more on the same content is what a restart is.</summary>
public abstract class PaymentStores
{
    /// <summary>Settings that lead to an empty store.</summary>
    internal abstract Task<PaymentSettings> SettingsAsync();

    /// <summary>An empty store, ready.</summary>
    internal async Task<IPaymentStore> CreateAsync()
    {
        var store = PaymentService.CreateStore(await SettingsAsync());
        await store.PrepareAsync(Cancel);
        return store;
    }
}

/// <summary>In memory.</summary>
internal sealed class MemoryPaymentStores : PaymentStores
{
    internal override Task<PaymentSettings> SettingsAsync() => Task.FromResult(new PaymentSettings());
}
