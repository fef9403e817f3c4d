using Microsoft.AspNetCore.Diagnostics;

namespace Payments.Service.Api;

internal sealed class ErrorHandler(ILogger<ErrorHandler> logger) : IExceptionHandler
{
    // No client receives this status; it separates aborted requests from answers in the metrics.
    private const int ClientClosedRequest = 499;

    public async ValueTask<bool> TryHandleAsync(
        HttpContext context, Exception exception, CancellationToken cancellationToken)
    {
        if (context.RequestAborted.IsCancellationRequested && exception is OperationCanceledException or IOException)
        {
            context.Response.StatusCode = ClientClosedRequest;
            return true;
        }

        var problem = exception switch
        {
            StoreUnavailableException => PaymentProblem.Of(
                503, "store-unavailable",
                $"The store does not answer: what the request asked for may or may not be done. {exception.Message}"),
            BadHttpRequestException bad => PaymentProblem.Of(bad.StatusCode, "request-invalid", bad.Message),
            _ => null,
        };
        if (problem is null)
        {
            Log.RequestFailed(logger, exception, context.Request.Method, context.Request.Path, context.TraceIdentifier);
            problem = PaymentProblem.Of(
                500, "internal-error",
                "The service failed unexpectedly. Its log holds the cause under trace id "
                    + $"{context.TraceIdentifier}.");
        }

        await problem.ExecuteAsync(context);
        return true;
    }
}
