using Microsoft.AspNetCore.Http.HttpResults;

namespace Payments.Service.Api;

/// <summary>Errors as a client sees them (RFC 9457); each names the value and the way out.</summary>
internal static class PaymentProblem
{
    public const string TypePrefix = "urn:payments:";

    public static ProblemHttpResult Of(int status, string code, string detail) =>
        TypedResults.Problem(
            detail, statusCode: status, title: char.ToUpperInvariant(code[0]) + code[1..].Replace('-', ' '),
            type: TypePrefix + code);
}
