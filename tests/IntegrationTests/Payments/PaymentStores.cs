using Payments.Service.Hosting;
using Payments.Service.Stores;

namespace IntegrationTests.Payments;

/// <summary>Empty stores of a kind. Another handle on the same content stands for a restart.</summary>
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
