using System.Data.Common;

namespace FullFeed.Tests.Oracle;

internal sealed class FakeOracleException(string message) : DbException(message);
