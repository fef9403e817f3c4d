var app = WebApplication.CreateBuilder(args).Build();
app.MapGet("/health/live", () => Results.Ok());
await app.RunAsync();
