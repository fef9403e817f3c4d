namespace Payments.Service.Api;

/// <summary>
/// Reads and checks the body of a creation by hand: the answer names the value that is wrong, whatever its type.
/// </summary>
internal static class CreatePaymentBody
{
    private const long MaximumAmount = 1_000_000_000_000;

    /// <summary>The request, or the code and description of its error.</summary>
    public static (CreatePaymentRequest? Request, string Code, string Detail) Read(
        JsonElement body, PaymentSettings settings)
    {
        try
        {
            return Check(body, settings);
        }
        catch (InvalidOperationException)
        {
            return (null, "body-invalid",
                "The body holds a text with half of a surrogate pair, which is no text. Send UTF-8 JSON.");
        }
    }

    private static (CreatePaymentRequest? Request, string Code, string Detail) Check(
        JsonElement body, PaymentSettings settings)
    {
        if (body.ValueKind != JsonValueKind.Object)
        {
            return (null, "body-invalid", """The body is not an object. Send {"amount":100000,"currency":"GBP"}.""");
        }

        if (body.EnumerateObject()
            .FirstOrDefault(m => m.Name is not ("amount" or "currency"))
            is { Value.ValueKind: not JsonValueKind.Undefined } unknown)
        {
            return (null, "body-invalid",
                $"The body has a member '{unknown.Name}' that is not known. Known: amount, currency.");
        }

        if (body.GetPropertyCount() > 2)
        {
            var repeated = body.EnumerateObject().CountBy(member => member.Name).First(member => member.Value > 1).Key;
            return (null, "body-invalid", $"The body has the member '{repeated}' more than once. Send it once.");
        }

        if (!body.TryGetProperty("amount", out var amount) || amount.ValueKind != JsonValueKind.Number
            || !amount.TryGetInt64(out var units) || units is < 1 or > MaximumAmount)
        {
            return (null, "amount-invalid", string.Create(
                CultureInfo.InvariantCulture,
                $"The amount {InWords(amount)}. It is a whole number of the currency's smallest unit, 1 to "
                    + $"{MaximumAmount}."));
        }

        if (!body.TryGetProperty("currency", out var currency) || currency.ValueKind != JsonValueKind.String
            || settings.Currencies.FirstOrDefault(code => currency.ValueEquals(code)) is not { } known)
        {
            return (null, "currency-invalid",
                $"The currency {InWords(currency)}. Known: {string.Join(", ", settings.Currencies)}; more by the "
                    + "setting Currencies.");
        }

        return (new(units, known), "", "");
    }

    private static string InWords(JsonElement value) => value.ValueKind switch
    {
        JsonValueKind.Undefined => "is missing",
        JsonValueKind.Object or JsonValueKind.Array => $"is an {value.ValueKind.ToString().ToLowerInvariant()}",
        _ => $"is {Short(value.GetRawText())}",
    };

    private static string Short(string text) => text.Length <= 40 ? text : text[..40] + "…";
}
